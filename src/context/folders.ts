/** Where folders lie to each other, by whole components. */

import { basename, join, relative, resolve, sep } from 'node:path';

/** From the outer folder down to the inner one, both included; only the inner one if it is not inside. */
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
  const way = relative(folder, resolve(path));
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && basename(way) !== '..');
}
