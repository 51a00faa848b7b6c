/** Resolves links, without throwing. */

import type { SyncFiles } from '../../../host/files.js';

/** Undefined if it is missing or can't be reached. */
export function realPath(path: string, files: SyncFiles): string | undefined {
  try {
    return files.realpath(path);
  } catch {
    return undefined;
  }
}
