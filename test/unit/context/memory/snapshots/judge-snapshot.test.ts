/** The table of ME-4, every stamp with every other, with and without local files: pure, and in real folders. */

import { chmodSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inspectSnapshot } from '../../../../../src/context/memory/snapshots/inspect-snapshot.js';
import { judgeSnapshot, type Stamp } from '../../../../../src/context/memory/snapshots/judge-snapshot.js';
import { initialiseMemory } from '../../../../../src/context/memory/snapshots/take-memory.js';
import type { Host } from '../../../../../src/host/host.js';
import { needOrdinaryUser } from '../../../../support/users.js';
import { memoryStage, put, replaceAll, snapshotJson, syncedJson, treeOf } from './memory-stage.js';

const NOW = Date.parse('2026-11-16T12:00:00Z');
const OLD = '2026-11-01T00:00:00.000Z';
const MIDDLE = '2026-11-05T00:00:00.000Z';
const LATE = '2026-11-09T00:00:00.000Z';
const SOON = '2026-11-17T11:59:59Z';
const FUTURE = '7026-01-01T00:00:00Z';

type State = 'none' | 'initialise' | 'ask' | 'current';
/** `updatedAt`, `syncedFrom`, what becomes of it with local files and without. `-`: no stamp; `?`: it can't be read. */
const TABLE: readonly (readonly [string, string, State, State])[] = [
  ['-', '-', 'none', 'none'],
  ['-', '?', 'none', 'none'],
  ['-', OLD, 'none', 'none'],
  ['-', FUTURE, 'none', 'none'],
  ['?', '-', 'ask', 'ask'],
  ['?', '?', 'ask', 'ask'],
  ['?', OLD, 'ask', 'ask'],
  ['?', FUTURE, 'ask', 'ask'],
  [MIDDLE, '-', 'ask', 'initialise'],
  [MIDDLE, '?', 'ask', 'ask'],
  [MIDDLE, OLD, 'ask', 'initialise'],
  [MIDDLE, MIDDLE, 'current', 'initialise'],
  [MIDDLE, '2026-11-05T01:00:00.000+01:00', 'current', 'initialise'],
  [MIDDLE, LATE, 'current', 'initialise'],
  [MIDDLE, SOON, 'current', 'initialise'],
  [MIDDLE, '2026-11-17T12:00:00.001Z', 'ask', 'ask'],
  [MIDDLE, FUTURE, 'ask', 'ask'],
  [SOON, MIDDLE, 'ask', 'initialise'],
  [FUTURE, '-', 'ask', 'initialise'],
  [FUTURE, '?', 'ask', 'ask'],
  [FUTURE, MIDDLE, 'ask', 'initialise'],
  [FUTURE, FUTURE, 'current', 'initialise'],
  [FUTURE, '7026-01-02T00:00:00Z', 'ask', 'ask'],
];

const DAMAGED = [
  '',
  '{',
  'null',
  '[]',
  '"2026-11-05T00:00:00Z"',
  '{}',
  '{"updatedAt":1,"syncedFrom":1}',
  '{"updatedAt":"","syncedFrom":""}',
  '{"updatedAt":"yesterday","syncedFrom":"yesterday"}',
  '{"updatedAt":"2026-13-45T00:00:00Z","syncedFrom":"2026-13-45T00:00:00Z"}',
  '{"updatedAt":"2026-11-05","syncedFrom":"2026-11-05"}',
  '<<<<<<< HEAD\n{"updatedAt":"2026-11-05T00:00:00Z"}\n=======\n',
  `{"updatedAt":"2026-11-05T00:00:00Z","syncedFrom":"2026-11-05T00:00:00Z","more":"${'x'.repeat(5_000)}"}`,
  '\0\0\0\0',
];

describe('ME-4, ME-5: what becomes of a snapshot', () => {
  it.each(TABLE)(
    'ME-4 updatedAt %s, syncedFrom %s: %s, without local files %s',
    async (updatedAt, syncedFrom, kept, empty) => {
      const facts = { updatedAt: stamp(updatedAt), syncedFrom: stamp(syncedFrom), now: NOW };
      expect(judgeSnapshot({ ...facts, hasLocal: true }).state).toBe(kept);
      expect(judgeSnapshot({ ...facts, hasLocal: false }).state).toBe(empty);
      const stage = await memoryStage({}, {});
      const host = at(stage.host);
      put(stage.team, file('snapshot.json', updatedAt, snapshotJson));
      put(stage.mine, file('.snapshot-synced.json', syncedFrom, syncedJson));
      expect((await inspectSnapshot(host, stage.place)).state).toBe(empty);
      put(stage.mine, { 'MEMORY.md': '' });
      expect((await inspectSnapshot(host, stage.place)).state).toBe(kept);
    },
  );

  it.each(DAMAGED)('ME-5 a damaged stamp is asked about, and nothing is overwritten: %j', async (text) => {
    const stage = await memoryStage({ 'MEMORY.md': 'mine' }, { 'MEMORY.md': 'team', 'snapshot.json': text });
    const { host, place, mine, team } = stage;
    expect(await inspectSnapshot(host, place)).toEqual({ state: 'ask', why: expect.stringContaining('snapshot.json') });
    replaceAll(mine, {});
    expect((await inspectSnapshot(host, place)).state).toBe('ask');
    replaceAll(mine, { 'MEMORY.md': 'mine', '.snapshot-synced.json': text });
    put(team, { 'snapshot.json': snapshotJson(MIDDLE) });
    expect(await inspectSnapshot(host, place)).toMatchObject({ state: 'ask', updatedAt: MIDDLE });
    expect(await initialiseMemory(host, place)).toMatchObject({ ok: false });
    expect(treeOf(mine)).toEqual({ 'MEMORY.md': 'mine', '.snapshot-synced.json': text });
    rmSync(join(mine, 'MEMORY.md'));
    expect((await inspectSnapshot(host, place)).state).toBe('ask');
  });

  it('ME-5 a stamp that is a link, a folder or closed is asked about', async () => {
    const { host, place, mine, team } = await memoryStage({ 'a.md': '' }, { 'real.json': snapshotJson(OLD) });
    symlinkSync('real.json', join(team, 'snapshot.json'));
    expect((await inspectSnapshot(host, place)).state).toBe('ask');
    replaceAll(team, { 'snapshot.json/x': '' });
    expect((await inspectSnapshot(host, place)).state).toBe('ask');
    replaceAll(team, { 'snapshot.json': snapshotJson(OLD) });
    mkdirSync(join(mine, '.snapshot-synced.json'));
    expect((await inspectSnapshot(host, place)).state).toBe('ask');
    replaceAll(mine, { 'a.md': '', '.snapshot-synced.json': syncedJson(LATE) });
    expect((await inspectSnapshot(host, place)).state).toBe('current');
  });

  it('ME-5 a stamp that may not be read is asked about', async (context) => {
    needOrdinaryUser(context);
    const { host, place, team } = await memoryStage({ 'a.md': '' }, { 'snapshot.json': snapshotJson(OLD) });
    chmodSync(join(team, 'snapshot.json'), 0);
    expect((await inspectSnapshot(host, place)).state).toBe('ask');
  });

  it('ME-5 reads two stamps and no contents', async () => {
    const texts = { 'MEMORY.md': 'x', 'b.md': 'y' };
    const { host, place } = await memoryStage(
      { ...texts, '.snapshot-synced.json': syncedJson(OLD) },
      { ...texts, 'snapshot.json': snapshotJson(LATE) },
    );
    const opened: string[] = [];
    expect((await inspectSnapshot(noting(host, opened), place)).state).toBe('ask');
    expect(opened).toEqual(['snapshot.json', '.snapshot-synced.json']);
  });

  it('ME-4 the folder of either being a link is asked about, and its absence is none', async () => {
    const { host, place, mine, team } = await memoryStage();
    expect(await inspectSnapshot(host, place)).toEqual({ state: 'none', why: 'there is no snapshot' });
    put(`${team}-real`, { 'snapshot.json': snapshotJson(OLD) });
    symlinkSync(`${team}-real`, team);
    expect((await inspectSnapshot(host, place)).state).toBe('ask');
    rmSync(team);
    put(team, { 'snapshot.json': snapshotJson(OLD) });
    expect((await inspectSnapshot(host, place)).state).toBe('initialise');
    put(`${mine}-real`, {});
    symlinkSync(`${mine}-real`, mine);
    expect((await inspectSnapshot(host, place)).state).toBe('ask');
  });
});

function stamp(text: string): Stamp {
  if (text === '-') return { kind: 'absent' };
  return text === '?' ? { kind: 'unreadable', reason: 'x' } : { kind: 'time', text, ms: Date.parse(text) };
}

function file(name: string, text: string, write: (text: string) => string): Record<string, string> {
  if (text === '-') return {};
  return { [name]: text === '?' ? '{' : write(text) };
}

function at(host: Host): Host {
  return { ...host, clock: { ...host.clock, now: () => NOW } };
}

/** Notes which files are opened in held folders. */
function noting(host: Host, opened: string[]): Host {
  const note = (folder: Awaited<ReturnType<Host['files']['holdFolder']>>): typeof folder => ({
    ...folder,
    openRead: (name) => {
      opened.push(name);
      return folder.openRead(name);
    },
    enter: async (name) => note(await folder.enter(name)),
  });
  const holdFolder: Host['files']['holdFolder'] = async (path) => note(await host.files.holdFolder(path));
  const no = async () => Promise.reject(new Error('not by path'));
  return { ...host, files: { ...host.files, holdFolder, read: no, openRead: no } };
}
