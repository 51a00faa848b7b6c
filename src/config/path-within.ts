/** Relations between a folder and a path, both absolute. Pure: follows no links. */

import { isAbsolute, relative } from 'node:path';

/** True if `path` is `folder` or in it. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith('../') && !isAbsolute(way);
}

/** True if `path` is in `folder`, and not the folder itself. */
export function isInside(folder: string, path: string): boolean {
  return isWithin(folder, path) && relative(folder, path) !== '';
}

/** Relative to `root` if it is in there. */
export function shortPath(root: string, file: string): string {
  const path = relative(root, file);
  return path.startsWith('..') ? file : path;
}
