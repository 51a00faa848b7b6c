/** Removes a folder that we created, with everything in it. Links are removed, not followed. */

import { join } from 'node:path';
import { errorCode, type Files } from '../../files.js';

export async function removeOwnFolder(files: Files, folder: string): Promise<void> {
  const at = await files.lstat(folder);
  if (at === undefined) return;
  if (at.kind !== 'folder') throw new Error(`${folder} is not a folder`);
  for (const { name, kind } of await files.list(folder)) {
    const path = join(folder, name);
    if (kind === 'folder') await removeOwnFolder(files, path);
    else await files.remove(path);
  }
  await files.removeFolder(folder).catch((error) => {
    if (errorCode(error) !== 'ENOENT') throw error;
  });
}
