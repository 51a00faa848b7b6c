/** What is done with snapshots, by name and always at the same time: what comes of two runs can be compared. */

import type { MemoryFolder } from '../../../../../src/context/memory/find-memory.js';
import type { MemoryDone } from '../../../../../src/context/memory/snapshots/memory-lock.js';
import { mergeMemory } from '../../../../../src/context/memory/snapshots/merge-memory.js';
import { publishMemory } from '../../../../../src/context/memory/snapshots/publish-memory.js';
import { rollBackMemory } from '../../../../../src/context/memory/snapshots/roll-back-memory.js';
import {
  declineMemory,
  initialiseMemory,
  takeMemory,
} from '../../../../../src/context/memory/snapshots/take-memory.js';
import type { Host } from '../../../../../src/host/host.js';

export type Act = 'initialise' | 'take' | 'decline' | 'merge' | 'publish' | 'rollBack' | 'rollBackTwice';
export const ACTS: readonly Act[] = ['initialise', 'take', 'decline', 'merge', 'publish', 'rollBack', 'rollBackTwice'];

const NOW = Date.parse('2026-11-16T12:00:00Z');

export function act(real: Host, place: MemoryFolder, what: Act): Promise<MemoryDone> {
  const host: Host = { ...real, clock: { ...real.clock, now: () => NOW } };
  switch (what) {
    case 'initialise':
      return initialiseMemory(host, place);
    case 'take':
      return takeMemory(host, place);
    case 'decline':
      return declineMemory(host, place);
    case 'merge':
      return mergeMemory(host, place);
    case 'publish':
      return publishMemory(host, place, { force: true });
    case 'rollBack':
      return rollBackMemory(host, place, { to: '000001' });
    case 'rollBackTwice':
      return rollBackMemory(host, place, { to: '000002' });
    default:
      return what satisfies never;
  }
}
