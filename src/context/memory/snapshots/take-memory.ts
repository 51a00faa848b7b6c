/** Takes the team’s snapshot into the local memory, or declines it. */

import type { Host } from '../../../host/host.js';
import type { MemoryPlace } from '../find-memory.js';
import type { MemoryDone } from './memory-turn.js';

const LATER: MemoryDone = { ok: false, reason: 'not there yet' };

/** Copies the snapshot, if there is no local .md file. */
export async function initialiseMemory(_host: Host, _place: MemoryPlace): Promise<MemoryDone> {
  return LATER;
}

export async function takeMemory(_host: Host, _place: MemoryPlace): Promise<MemoryDone> {
  return LATER;
}

export async function declineMemory(_host: Host, _place: MemoryPlace): Promise<MemoryDone> {
  return LATER;
}
