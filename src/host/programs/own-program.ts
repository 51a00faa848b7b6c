/** Finds a program that we start ourselves: on the PATH, but never in a folder that an agent works in, nor by a link into one. */

import type { Host } from '../host.js';
import { cleanPath, findRoots, isBelow } from './clean-path.js';
import { executablesOf, isOfSystem } from './find-executable.js';

type Place = Pick<Host, 'env' | 'files' | 'folder'>;

/** Its path, through real folders. Omitted roots: the repository of the working folder. */
export function findOwnProgram(host: Place, name: string, roots?: readonly string[]): string | undefined {
  for (const file of ownPrograms(host, name, roots)) return file;
  return undefined;
}

/** All of that name, in the order of the PATH. */
export function* ownPrograms(host: Place, name: string, roots?: readonly string[]): Generator<string> {
  const own = findRoots(host, roots);
  for (const { file, real } of executablesOf(name, cleanPath(host, roots).split(':'), host.files.sync)) {
    // Where everything is in a root, only the system's own are left.
    const isOutside = own.every((root) => (root === '/' ? isOfSystem(real, host.files.sync) : !isBelow(real, root)));
    if (isOutside) yield file;
  }
}
