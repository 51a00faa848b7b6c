/** A memory before each act, in a state in which it has much to do, and what counts of it afterwards. */

import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { takeMemory } from '../../../../../src/context/memory/snapshots/take-memory.js';
import type { Act } from './acts.js';
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

const T1 = '2026-11-01T10:00:00.000Z';
const T2 = '2026-11-02T10:00:00.000Z';
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
  // Then there is a backup with a base of its own.
  if (what === 'rollBackTwice') await takeMemory(stage.host, stage.place);
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

/** A killed write leaves its temporary file, which the next write there removes when it is old. */
export function withoutHalves(state: ReturnType<typeof stateOf>): ReturnType<typeof stateOf> {
  const clean = (tree: Record<string, string> | undefined) =>
    tree && Object.fromEntries(Object.entries(tree).filter(([path]) => !path.endsWith('.coppice-tmp')));
  return {
    mine: clean(state.mine),
    team: clean(state.team),
    base: clean(state.base),
    bases: state.bases,
    backups: clean(state.backups) ?? {},
    teamBackups: clean(state.teamBackups) ?? {},
  };
}
