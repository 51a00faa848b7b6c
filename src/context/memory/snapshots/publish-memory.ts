/** Makes the local memory the team’s snapshot. */

import type { Host } from '../../../host/host.js';
import type { MemoryPlace } from '../find-memory.js';
import type { MemoryDone } from './memory-turn.js';

const LATER: MemoryDone = { ok: false, reason: 'not there yet' };

export type PublishOptions = { /** Also over what I have neither taken nor declined. */ readonly force: boolean };

export async function publishMemory(_host: Host, _place: MemoryPlace, _options: PublishOptions): Promise<MemoryDone> {
  return LATER;
}
