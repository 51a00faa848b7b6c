/** Relations between folders, by whole path components. */

import { join, relative, sep } from 'node:path';
import { isWithin } from '../config/path-within.js';

/** The folders from `outer` down to `inner`, both included. Only `inner` if it is not inside `outer`. */
export function foldersBetween(outer: string, inner: string): string[] {
  if (!isWithin(outer, inner)) return [inner];
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
