/** Resolves the paths in a call to absolute ones. `declare` and `run` use the same function. */

import { isAbsolute, resolve, sep } from 'node:path';
import * as z from 'zod';
import type { Host } from '../host/host.js';

export type PathContext = {
  /** The folder of the agent's shell. */
  readonly cwd: string;
  /** The user's home folder, for paths that start with `~/`. */
  readonly home: string | undefined;
};

export function pathContextOf(context: { readonly host: Host; readonly shell: { readonly cwd: string } }): PathContext {
  return { cwd: context.shell.cwd, home: context.host.env.HOME };
}

/** Returns an absolute, normalised path. Links are not resolved: `a/link/../b` becomes `a/b`, and that is what is opened. */
export function absolutePath(path: string, at: PathContext): string {
  if (path === '~' && at.home !== undefined) return resolve(at.home);
  if (path.startsWith('~/') && at.home !== undefined) return resolve(at.home, path.slice(2));
  return isAbsolute(path) ? resolve(path) : resolve(at.cwd, path);
}

/** A path in a tool's input. NULs are refused: normalising could drop them, and the gate would judge another path. */
export const pathInput = () =>
  z
    .string()
    .min(1, 'is empty: give a path')
    .refine((path) => !path.includes('\0'), 'contains a NUL character, which no path can have');

/** True if `path` is `folder` or below it, by whole components. Both must be resolved. */
export function isInside(folder: string, path: string): boolean {
  if (path === folder) return true;
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

export function isInsideAny(folders: readonly string[], path: string): boolean {
  return folders.some((folder) => isInside(folder, path));
}
