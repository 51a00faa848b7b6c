/** Maps paths of the parent's checkout into a worktree, and selects the folders an agent may work in there. Pure. */

import { join, relative } from 'node:path';
import { isWithin } from '../../config/path-within.js';

export type WorktreeMapping = { readonly from: string; readonly path: string };

/** The corresponding path in the worktree; a path outside the checkout is unchanged. */
export function inWorktree({ from, path }: WorktreeMapping, place: string): string {
  return isWithin(from, place) ? join(path, relative(from, place)) : place;
}

/** Its own folder first. A root that contains the whole checkout is left out: it would expose the parent's files. */
export function rootsInWorktree(way: WorktreeMapping, folder: string, parents: readonly string[]): readonly string[] {
  const further = parents
    .slice(1)
    .filter((root) => isWithin(way.from, root) || !isWithin(root, way.from))
    .map((root) => inWorktree(way, root));
  return [...new Set([folder, ...further])];
}

/** Instructions are identified by path and text: in a worktree, the same text has another path. */
export function announcedInWorktree(way: WorktreeMapping, names: ReadonlySet<string>): Set<string> {
  const moved = [...names].map((name) => {
    const end = name.indexOf('\n');
    return `${inWorktree(way, name.slice(0, end))}${name.slice(end)}`;
  });
  return new Set(moved);
}
