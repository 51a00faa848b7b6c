/** How the local memory and the snapshot differ. */

import type { Host } from '../../../host/host.js';
import type { MemoryPlace } from '../find-memory.js';

export type MemoryDifference =
  | {
      readonly ok: true;
      readonly files: readonly { readonly name: string; readonly state: FileDifference }[];
      /** A unified diff, from mine to the snapshot. */
      readonly text: string;
    }
  | { readonly ok: false; readonly reason: string };

export type FileDifference = 'only-mine' | 'only-theirs' | 'changed' | 'same';

export async function memoryDifference(_host: Host, _place: MemoryPlace): Promise<MemoryDifference> {
  return { ok: false, reason: 'not there yet' };
}
