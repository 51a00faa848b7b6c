/** Opens the path of a search: an existing file or folder inside the roots, held until the search has ended. */

import { basename, dirname, relative } from 'node:path';
import type { HeldFile, HeldFolder } from '../../host/files.js';
import { explainFileError } from '../failures.js';
import { isInside, isInsideAny } from '../path-context.js';
import { resolveRealPath } from '../real-path.js';
import type { ToolContext } from '../tool.js';

/** The caller closes it. */
export type OpenSearchPath =
  | { readonly found: 'folder'; readonly path: string; readonly held: HeldFolder }
  | { readonly found: 'file'; readonly path: string; readonly held: HeldFile };

export type SearchPath =
  | OpenSearchPath
  | { readonly found: 'nothing' }
  | { readonly found: 'refused'; readonly reason: string };

export async function openSearchPath(context: ToolContext, path: string): Promise<SearchPath> {
  try {
    const real = await resolveRealPath(context, path);
    if (real.found === 'refused') return real;
    if (!isInsideAny(context.roots, real.path)) {
      const roots = context.roots.join(', ');
      return {
        found: 'refused',
        reason: `${path} is outside the folders of this session (${roots}); searches stay inside them.`,
      };
    }
    if (real.found === 'nothing') return real;
    if (real.stat.kind === 'folder') {
      return { found: 'folder', path: real.path, held: await context.host.files.holdFolder(real.path) };
    }
    const file = real.stat.kind === 'file' ? await openFile(context, real.path) : undefined;
    if (file !== undefined) return { found: 'file', path: real.path, held: file };
    return { found: 'refused', reason: `${path} is a device, pipe or socket and can't be searched.` };
  } catch (error) {
    return { found: 'refused', reason: explainFileError(error, path) };
  }
}

/** Undefined if it is no longer a regular file. */
async function openFile({ host }: ToolContext, real: string): Promise<HeldFile | undefined> {
  const folder = await host.files.holdFolder(dirname(real));
  try {
    const file = await folder.openRead(basename(real));
    if ((await file.stat()).kind === 'file') return file;
    await file.close();
    return undefined;
  } finally {
    await folder.close();
  }
}

/** The shortest path that other tools accept: relative to the shell's folder, or absolute. */
export function showPath(path: string, cwd: string): string {
  return isInside(cwd, path) && path !== cwd ? relative(cwd, path) : path;
}
