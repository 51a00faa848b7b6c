/** Backups of the local memory, and going back to one. */

import type { Host } from '../../../host/host.js';
import type { MemoryPlace } from '../find-memory.js';
import type { MemoryDone } from './memory-turn.js';

const LATER: MemoryDone = { ok: false, reason: 'not there yet' };

export type MemoryBackup = { readonly name: string; readonly files: readonly string[]; readonly at: number };

/** Newest first. */
export async function listBackups(_host: Host, _place: MemoryPlace): Promise<readonly MemoryBackup[]> {
  return [];
}

export type RollBackOptions = { /** The name of a backup; the newest if omitted. */ readonly to?: string };

export async function rollBackMemory(_host: Host, _place: MemoryPlace, _options: RollBackOptions): Promise<MemoryDone> {
  return LATER;
}
