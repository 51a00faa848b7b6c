/** Resolves the path of a search: an existing file or folder inside the roots. */

import { relative } from 'node:path';
import { explainFileError } from '../failures.js';
import { isInside, isInsideAny } from '../path-context.js';
import { resolveRealPath } from '../real-path.js';
import type { ToolContext } from '../tool.js';

export type SearchPath =
  | { readonly found: 'folder' | 'file'; readonly path: string }
  | { readonly found: 'nothing' }
  | { readonly found: 'refused'; readonly reason: string };

export async function findSearchPath(context: ToolContext, path: string): Promise<SearchPath> {
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
    if (real.stat.kind === 'folder' || real.stat.kind === 'file') return { found: real.stat.kind, path: real.path };
    return { found: 'refused', reason: `${path} is a device, pipe or socket and can't be searched.` };
  } catch (error) {
    return { found: 'refused', reason: explainFileError(error, path) };
  }
}

/** The shortest path that other tools accept: relative to the shell's folder, or absolute. */
export function showPath(path: string, cwd: string): string {
  return isInside(cwd, path) && path !== cwd ? relative(cwd, path) : path;
}
