/** Removes one of our folders with everything in it. */

import type { Host } from '../../host/host.js';
import { removeTree as removeWhole } from '../../host/trees/remove-tree.js';

/** Removes links without following them; what can't be removed stays and is retried at the next start. */
export async function removeTree({ files }: Pick<Host, 'files'>, folder: string): Promise<void> {
  await removeWhole(files, folder).catch(() => {});
}
