/** Where a path of the parent's checkout is in a worktree, and which folders an agent may work in there. Pure. */

import { join, relative } from 'node:path';
import { isInside } from '../../context/folders.js';

export type Way = { readonly from: string; readonly path: string };

/** The same place in the worktree; a path outside the checkout stays what it is. */
export function inWorktree({ from, path }: Way, place: string): string {
  return isInside(from, place) ? join(path, relative(from, place)) : place;
}

/** Its own folder first. One that holds the whole checkout would give the parent's files away: it is left out. */
export function rootsInWorktree(way: Way, folder: string, parents: readonly string[]): readonly string[] {
  const further = parents
    .slice(1)
    .filter((root) => isInside(way.from, root) || !isInside(root, way.from))
    .map((root) => inWorktree(way, root));
  return [...new Set([folder, ...further])];
}

/** Instructions are known by the path and the text of their file: in a worktree the same text has another path. */
export function toldInWorktree(way: Way, names: ReadonlySet<string>): Set<string> {
  const moved = [...names].map((name) => {
    const end = name.indexOf('\n');
    return `${inWorktree(way, name.slice(0, end))}${name.slice(end)}`;
  });
  return new Set(moved);
}
