/** Relations between folders, by whole path components. */

import { basename, join, relative, resolve, sep } from 'node:path';

/** The folders from `outer` down to `inner`, both included. Only `inner` if it is not inside `outer`. */
export function foldersBetween(outer: string, inner: string): string[] {
  if (!isInside(outer, inner)) return [inner];
  const folders = [outer];
  const rest = relative(outer, inner);
  if (rest === '') return folders;
  let current = outer;
  for (const name of rest.split(sep)) {
    current = join(current, name);
    folders.push(current);
  }
  return folders;
}

export function isInside(folder: string, path: string): boolean {
  const inside = relative(folder, resolve(path));
  return inside === '' || (inside !== '..' && !inside.startsWith(`..${sep}`) && basename(inside) !== '..');
}
