/** Where a call is made from, and how the paths in it become absolute. Declaring and running use the same function. */

import { isAbsolute, resolve, sep } from 'node:path';
import * as z from 'zod';
import type { Host } from '../host/host.js';

export type PathContext = {
  /** Where the agent's shell stands. */
  readonly cwd: string;
  /** The person's home folder, for paths that begin with `~/`. */
  readonly home: string | undefined;
};

export function pathContextOf(context: { readonly host: Host; readonly shell: { readonly cwd: string } }): PathContext {
  return { cwd: context.shell.cwd, home: context.host.env.HOME };
}

/** Absolute and normalised. Links are not looked at: `a/link/../b` is `a/b`, and that is also what is opened. */
export function absolutePath(path: string, at: PathContext): string {
  if (path === '~' && at.home !== undefined) return resolve(at.home);
  if (path.startsWith('~/') && at.home !== undefined) return resolve(at.home, path.slice(2));
  return isAbsolute(path) ? resolve(path) : resolve(at.cwd, path);
}

/** A path in a tool's input. A NUL could vanish in normalising, so that another path is judged than was shown. */
export const pathInput = z
  .string()
  .min(1, 'is empty: give a path')
  .refine((path) => !path.includes('\0'), 'contains a NUL character, which no path can have');

/** The same folder or something below it, by whole components. Both must be resolved already. */
export function isInside(folder: string, path: string): boolean {
  if (path === folder) return true;
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

export function isInsideAny(folders: readonly string[], path: string): boolean {
  return folders.some((folder) => isInside(folder, path));
}
