/** Merges the snapshot into the local memory. */

import type { Host } from '../../../host/host.js';
import type { MemoryPlace } from '../find-memory.js';
import type { MemoryDone } from './memory-turn.js';

const LATER: MemoryDone = { ok: false, reason: 'not there yet' };

export async function mergeMemory(_host: Host, _place: MemoryPlace): Promise<MemoryDone> {
  return LATER;
}
