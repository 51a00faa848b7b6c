/** Creates folders that must survive a power loss: the name of each new one is flushed in its parent. */

import { dirname } from 'node:path';
import type { Files } from '../../host/files.js';

export async function makeDurableFolder(files: Files, path: string): Promise<void> {
  for (const made of await files.makeFolder(path, 0o700)) await files.syncFolder(dirname(made));
}
