/** What is done with snapshots, each from a state in which it has much to do: for tests that disturb it. */

import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { MemoryPlace } from '../../../../src/context/memory/find-memory.js';
import type { MemoryDone } from '../../../../src/context/memory/snapshots/memory-turn.js';
import { mergeMemory } from '../../../../src/context/memory/snapshots/merge-memory.js';
import { publishMemory } from '../../../../src/context/memory/snapshots/publish-memory.js';
import { rollBackMemory } from '../../../../src/context/memory/snapshots/roll-back-memory.js';
import { declineMemory, initialiseMemory, takeMemory } from '../../../../src/context/memory/snapshots/take-memory.js';
import type { Host } from '../../../../src/host/host.js';
import {
  type MemoryStage,
  memoryStage,
  openStage,
  put,
  quickFolder,
  replaceAll,
  snapshotJson,
  syncedJson,
  treeOf,
} from './memory-stage.js';

export type Act = 'initialise' | 'take' | 'decline' | 'merge' | 'publish' | 'rollBack';
export const ACTS: readonly Act[] = ['initialise', 'take', 'decline', 'merge', 'publish', 'rollBack'];

const NOW = Date.parse('2026-11-16T12:00:00Z');
const T1 = '2026-11-01T10:00:00.000Z';
const T2 = '2026-11-02T10:00:00.000Z';

/** The same time in all runs: what comes of them can be compared. */
export function act(real: Host, place: MemoryPlace, what: Act): Promise<MemoryDone> {
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
    default:
      return what satisfies never;
  }
}

const BYTES = Buffer.from([0, 255, 13, 10, 10, 128]);
const TEAM = { 'MEMORY.md': 'team 1\nx\n', 'both.md': 'a\nb\nc\n', 'README.txt': 'read' };

/** Before the act. */
export async function stageFor(what: Act): Promise<MemoryStage> {
  const stage = await memoryStage(undefined, { ...TEAM, 'snapshot.json': snapshotJson(T1) });
  if (what === 'initialise') {
    put(stage.mine, { 'tool.bin': BYTES });
    return stage;
  }
  put(stage.mine, { 'MEMORY.md': 'the very first', '.snapshot-synced.json': syncedJson('2026-10-01T00:00:00Z') });
  await takeMemory(stage.host, stage.place);
  put(stage.mine, { 'mine.md': 'mine', 'both.md': 'a\nB\nc\n', 'sub/x/deep.bin': BYTES, 'empty.txt': '' });
  replaceAll(stage.team, {
    'MEMORY.md': 'team 2\nx\n',
    'both.md': 'a\nb\nC\n',
    'new.md': BYTES,
    'README.txt': 'read',
    'snapshot.json': snapshotJson(T2),
  });
  return stage;
}

/** A copy that can be spoilt. */
export async function copyOf(stage: MemoryStage): Promise<MemoryStage> {
  const top = quickFolder();
  const home = join(top, 'home');
  mkdirSync(home);
  cpSync(stage.root, join(top, 'project'), { recursive: true, preserveTimestamps: true });
  return openStage(join(top, 'project'), { ...stage.env, HOME: home, XDG_CONFIG_HOME: join(home, '.config') });
}

/** What counts of both folders: their files, the base for merging and all backups. */
export function stateOf({ mine, team, beside, place }: MemoryStage) {
  const teams = join(place.snapshot?.parent ?? '', '.coppice', place.name);
  return {
    mine: treeOf(mine),
    team: treeOf(team),
    base: treeOf(join(beside, 'base')),
    bases: treeOf(join(beside, 'bases')) ?? {},
    backups: treeOf(join(beside, 'backups')) ?? {},
    teamBackups: treeOf(join(teams, 'backups')) ?? {},
  };
}

/** What is left of updates that are not over, on both sides. */
export function leftOf({ beside, place }: MemoryStage): readonly string[] {
  const teams = join(place.snapshot?.parent ?? '', '.coppice', place.name);
  const all = [beside, teams].flatMap((folder) => Object.keys(treeOf(folder) ?? {}));
  return all.filter((path) => /^(?:staging|next)/.test(path));
}

/** A process of ours is not dead when its machine is said to have stopped. */
export function forgetLocks({ env }: MemoryStage): void {
  rmSync(join(env.HOME ?? '', '.coppice', 'locks'), { recursive: true, force: true });
}
