/** Removes a folder with everything in it. */

import { join } from 'node:path';
import { type Entry, errorCode, type Files } from '../files.js';

/** Does not follow links. Does nothing if it does not exist. */
export async function removeTree(files: Files, folder: string): Promise<void> {
  for (const { name, kind } of await listOrEmpty(files, folder)) {
    const path = join(folder, name);
    if (kind === 'folder') await removeTree(files, path);
    else await files.remove(path);
  }
  try {
    await files.removeFolder(folder);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}

/** The entries of a folder; none if it is missing, or no folder. */
export async function listOrEmpty(files: Files, folder: string): Promise<readonly Entry[]> {
  try {
    const found = await files.lstat(folder);
    return found?.kind === 'folder' ? await files.list(folder) : [];
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}
