/** Taking, declining, initialising, publishing and going back, in real folders (ME-4, ME-5). */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inspectSnapshot } from '../../../../../src/context/memory/snapshots/inspect-snapshot.js';
import { memoryDifference } from '../../../../../src/context/memory/snapshots/memory-difference.js';
import { recoverMemory } from '../../../../../src/context/memory/snapshots/memory-lock.js';
import { publishMemory } from '../../../../../src/context/memory/snapshots/publish-memory.js';
import { listBackups, rollBackMemory } from '../../../../../src/context/memory/snapshots/roll-back-memory.js';
import {
  declineMemory,
  initialiseMemory,
  takeMemory,
} from '../../../../../src/context/memory/snapshots/take-memory.js';
import { faultyHost, NO_FAULT } from '../../../../support/hosts/faulty-host.js';
import { memoryStage, put, snapshotJson, syncedIn, syncedJson, textsOf, treeOf } from './memory-stage.js';

const T1 = '2026-11-01T10:00:00.000Z';
const T2 = '2026-11-02T10:00:00.000Z';
const TEAM = { 'snapshot.json': snapshotJson(T2), 'MEMORY.md': 'team\n', 'team.md': 'only theirs\n' };
const MINE = { '.snapshot-synced.json': syncedJson(T1), 'MEMORY.md': 'mine\n', 'mine.md': 'only mine\n' };

describe('ME-4: the first copy', () => {
  it('ME-4 copies the snapshot where there is no memory, and the stamp with it', async () => {
    const { host, place, mine } = await memoryStage(undefined, TEAM);
    expect(await inspectSnapshot(host, place)).toMatchObject({ state: 'initialise', updatedAt: T2 });
    expect(await initialiseMemory(host, place)).toEqual({ ok: true, files: ['MEMORY.md', 'team.md'], notes: [] });
    expect(textsOf(mine)).toEqual({ 'MEMORY.md': 'team\n', 'team.md': 'only theirs\n' });
    expect(syncedIn(mine)).toBe(T2);
    expect(await inspectSnapshot(host, place)).toMatchObject({ state: 'current' });
    expect(await initialiseMemory(host, place)).toEqual({ ok: true, files: [], notes: [] });
  });

  it('ME-5 copies nothing over memory that came meanwhile', async () => {
    const { host, place, mine } = await memoryStage({ 'MEMORY.md': 'mine\n' }, TEAM);
    expect(await initialiseMemory(host, place)).toMatchObject({ ok: false, reason: expect.stringContaining(mine) });
    expect(treeOf(mine)).toEqual({ 'MEMORY.md': 'mine\n' });
  });

  it('ME-4 a snapshot without files makes no backup at each start', async () => {
    const { host, place, mine } = await memoryStage({ 'todo.txt': 'x' }, { 'snapshot.json': snapshotJson(T2) });
    for (let start = 0; start < 3; start += 1) expect(await initialiseMemory(host, place)).toMatchObject({ ok: true });
    expect(treeOf(mine)).toMatchObject({ 'todo.txt': 'x' });
    expect(await listBackups(host, place)).toEqual([]);
  });
});

describe('ME-5: take and decline', () => {
  it('ME-5 a folder whose name is a file’s of the snapshot is in the backup, and it says so', async () => {
    const { host, place, mine, beside } = await memoryStage({ 'team.md/deep.txt': 'x', 'a.md': '' }, TEAM);
    expect(await takeMemory(host, place)).toMatchObject({
      ok: true,
      notes: [expect.stringContaining('a file has its name')],
    });
    expect(treeOf(mine)).toMatchObject({ 'team.md': 'only theirs\n' });
    expect(treeOf(join(beside, 'backups', '000001'))).toMatchObject({ 'team.md/deep.txt': 'x' });
  });

  it('ME-5 taking makes the .md files the snapshot’s, and keeps all that was there', async () => {
    const rest = { 'tool.txt': 'kept', 'sub/deep.md': 'kept too' };
    const { host, place, mine, beside } = await memoryStage({ ...MINE, ...rest }, TEAM);
    const before = treeOf(mine);
    const done = await takeMemory(host, place);
    expect(done).toEqual({ ok: true, files: ['MEMORY.md', 'mine.md', 'team.md'], backup: '000001', notes: [] });
    expect(treeOf(mine)).toEqual({
      '.snapshot-synced.json': `{\n  "syncedFrom": "${T2}"\n}\n`,
      'MEMORY.md': 'team\n',
      'team.md': 'only theirs\n',
      'tool.txt': 'kept',
      'sub/': '',
      'sub/deep.md': 'kept too',
    });
    expect(treeOf(join(beside, 'backups', '000001'))).toEqual(before);
    expect(treeOf(beside)).not.toHaveProperty('next/');
    expect(await listBackups(host, place)).toEqual([
      { name: '000001', files: ['MEMORY.md', 'mine.md'], at: expect.any(Number) },
    ]);
  });

  it('ME-5 what was declined is not offered again, what comes later is', async () => {
    const { host, place, mine, team } = await memoryStage(MINE, TEAM);
    expect(await inspectSnapshot(host, place)).toMatchObject({ state: 'ask' });
    expect(await declineMemory(host, place)).toEqual({ ok: true, files: [], notes: [] });
    expect(treeOf(mine)).toMatchObject({ 'MEMORY.md': 'mine\n', 'mine.md': 'only mine\n' });
    expect(await inspectSnapshot(host, place)).toMatchObject({ state: 'current' });
    put(team, { 'snapshot.json': snapshotJson('2026-11-03T00:00:00Z') });
    expect(await inspectSnapshot(host, place)).toMatchObject({ state: 'ask' });
  });

  it('ME-5 a snapshot whose time can’t be read is taken by a person’s word alone, and asked about again', async () => {
    const { host, place, mine } = await memoryStage(MINE, { ...TEAM, 'snapshot.json': '<<<<<<< HEAD' });
    expect(await initialiseMemory(host, place)).toMatchObject({ ok: false });
    expect(await declineMemory(host, place)).toMatchObject({
      ok: false,
      reason: expect.stringContaining('snapshot.json'),
    });
    expect(treeOf(mine)).toMatchObject({ 'MEMORY.md': 'mine\n' });
    expect(await takeMemory(host, place)).toMatchObject({
      ok: true,
      notes: [expect.stringContaining('asked again until it is fixed')],
    });
    expect(textsOf(mine)).toEqual({ 'MEMORY.md': 'team\n', 'team.md': 'only theirs\n' });
    expect(await inspectSnapshot(host, place)).toMatchObject({ state: 'ask' });
  });

  it('ME-4 says that there is no snapshot, and that only local memory has one', async () => {
    const { host, place } = await memoryStage(MINE);
    for (const action of [initialiseMemory, takeMemory, declineMemory, memoryDifference]) {
      expect(await action(host, place)).toMatchObject({ ok: false, reason: expect.stringContaining('no snapshot') });
    }
    const { snapshot: _, ...without } = place;
    const reason = expect.stringContaining('only local memory has a snapshot');
    expect(await takeMemory(host, { ...without, scope: 'user' })).toMatchObject({ ok: false, reason });
    expect(await rollBackMemory(host, { ...without, scope: 'user' }, {})).toMatchObject({ ok: false, reason });
    expect(await inspectSnapshot(host, { ...without, scope: 'user' })).toMatchObject({ state: 'none' });
  });
});

describe('ME-10: recovery', () => {
  it('ME-10 costs one lookup where nothing is left, and none where there can be nothing', async () => {
    const { host, place } = await memoryStage(MINE, TEAM);
    await takeMemory(host, place);
    const counted = faultyHost(host, NO_FAULT);
    await recoverMemory(counted.host, place);
    expect(counted.calls()).toBe(1);
    const { snapshot: _, ...project } = place;
    await recoverMemory(counted.host, { ...project, scope: 'project' });
    expect(counted.calls()).toBe(1);
  });
});

describe('ME-5: going back', () => {
  it('ME-5 gives everything back, and the snapshot that was there counts as declined', async () => {
    const { host, place, mine } = await memoryStage({ ...MINE, 'a/b.txt': 'x' }, TEAM);
    const before = treeOf(mine);
    await takeMemory(host, place);
    const taken = treeOf(mine);
    const files = ['MEMORY.md', 'mine.md', 'team.md'];
    expect(await rollBackMemory(host, place, {})).toEqual({ ok: true, files, backup: '000002', notes: [] });
    expect({ ...treeOf(mine), '.snapshot-synced.json': '' }).toEqual({ ...before, '.snapshot-synced.json': '' });
    expect(await inspectSnapshot(host, place)).toMatchObject({ state: 'current' });
    expect(await rollBackMemory(host, place, {})).toMatchObject({ ok: true, backup: '000003' });
    expect(treeOf(mine)).toEqual(taken);
  });

  it('ME-5 the base for merging goes back, too', async () => {
    const { host, place, beside, team } = await memoryStage(MINE, TEAM);
    const bases: (string | undefined)[] = [];
    const note = () => bases.push(treeOf(join(beside, 'base'))?.['MEMORY.md']);
    await takeMemory(host, place);
    put(team, { 'MEMORY.md': 'again\n', 'snapshot.json': snapshotJson('2026-11-04T00:00:00Z') });
    await takeMemory(host, place);
    note();
    for (const to of ['000002', '000001', '000003']) {
      expect(await rollBackMemory(host, place, { to })).toMatchObject({ ok: true });
      note();
    }
    expect(bases).toEqual(['again\n', 'team\n', undefined, 'again\n']);
  });

  it('ME-5 goes back to a backup by name, and says which there are', async () => {
    const { host, place, mine, team } = await memoryStage(MINE, TEAM);
    await takeMemory(host, place);
    put(team, { 'MEMORY.md': 'again\n', 'snapshot.json': snapshotJson('2026-11-04T00:00:00Z') });
    await takeMemory(host, place);
    expect((await listBackups(host, place)).map(({ name }) => name)).toEqual(['000002', '000001']);
    expect(await rollBackMemory(host, place, { to: '../../x' })).toEqual({
      ok: false,
      reason: 'there is no backup "../../x"; there are 000002, 000001',
    });
    expect(await rollBackMemory(host, place, { to: '000001' })).toMatchObject({ ok: true });
    expect(textsOf(mine)).toEqual({ 'MEMORY.md': 'mine\n', 'mine.md': 'only mine\n' });
  });

  it('ME-5 says that there is nothing to go back to', async () => {
    const { host, place } = await memoryStage(MINE, TEAM);
    expect(await rollBackMemory(host, place, {})).toMatchObject({
      ok: false,
      reason: expect.stringContaining('no backup'),
    });
  });
});

describe('ME-5: publish', () => {
  it('ME-5 makes mine the snapshot, with a new time, and nobody is asked here', async () => {
    const { host, place, mine, team } = await memoryStage(
      { ...MINE, 'topics/parser.md': 'below\n', '.snapshot-synced.json': syncedJson(T2) },
      { ...TEAM, 'README.txt': 'kept' },
    );
    const done = await publishMemory(host, place, { force: false });
    expect(done).toMatchObject({
      ok: true,
      files: ['MEMORY.md', 'mine.md', 'team.md'],
      notes: [
        expect.stringContaining('000001'),
        "team.md is no longer in the snapshot: your notes don't have it",
        'topics/ was not published: a snapshot has the .md files directly in the folder',
      ],
    });
    expect(treeOf(team)).toMatchObject({ 'MEMORY.md': 'mine\n', 'mine.md': 'only mine\n', 'README.txt': 'kept' });
    expect(treeOf(team)).not.toHaveProperty('team.md');
    const { updatedAt } = JSON.parse(treeOf(team)?.['snapshot.json'] ?? '') as { updatedAt: string };
    expect(Date.parse(updatedAt)).toBeGreaterThan(Date.parse(T2));
    expect(syncedIn(mine)).toBe(updatedAt);
    expect(await inspectSnapshot(host, place)).toMatchObject({ state: 'current' });
    expect(treeOf(join(place.snapshot?.parent ?? '', '.coppice', 'notes', 'backups', '000001'))).toMatchObject(TEAM);
  });

  it('ME-5 is refused over what I have neither taken nor declined, unless it is forced', async () => {
    const { host, place, team } = await memoryStage(MINE, TEAM);
    const refused = { ok: false, reason: expect.stringContaining('merge or take it first') };
    expect(await publishMemory(host, place, { force: false })).toMatchObject(refused);
    expect(treeOf(team)).toEqual(TEAM);
    await declineMemory(host, place);
    expect(await publishMemory(host, place, { force: false })).toMatchObject({ ok: true });
    put(team, { 'snapshot.json': '{', 'new.md': 'x' });
    expect(await publishMemory(host, place, { force: false })).toMatchObject(refused);
    rmSync(join(team, 'snapshot.json'));
    expect(await publishMemory(host, place, { force: false })).toMatchObject(refused);
    expect(await publishMemory(host, place, { force: true })).toMatchObject({ ok: true });
    expect(textsOf(team)).toEqual(textsOf(place.folder));
  });

  it('ME-5 that changes nothing says so, and leaves the time as it is', async () => {
    const { 'team.md': _, ...team } = TEAM;
    const stage = await memoryStage({ 'MEMORY.md': 'team\n' }, team);
    const { host, place } = stage;
    expect(await publishMemory(host, place, { force: false })).toMatchObject({
      ok: true,
      files: [],
      notes: [expect.stringContaining('holds just this already')],
    });
    expect(treeOf(stage.team)).toEqual(team);
    expect(syncedIn(stage.mine)).toBe(T2);
  });

  it('ME-5 nothing is not published', async () => {
    const { host, place, team } = await memoryStage({ 'x.txt': '' }, TEAM);
    expect(await publishMemory(host, place, { force: true })).toMatchObject({ ok: false });
    expect(treeOf(team)).toEqual(TEAM);
  });

  it('failures 24: its time is later than the one before, but does not follow one that is a mistake', async () => {
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    const first = await memoryStage(MINE, { ...TEAM, 'snapshot.json': snapshotJson(soon) });
    await publishMemory(first.host, first.place, { force: true });
    expect(Date.parse(syncedIn(first.mine) ?? '')).toBe(Date.parse(soon) + 1);
    const second = await memoryStage(MINE, { ...TEAM, 'snapshot.json': snapshotJson('7026-01-01T00:00:00Z') });
    await publishMemory(second.host, second.place, { force: true });
    expect(Date.parse(syncedIn(second.mine) ?? '')).toBeLessThanOrEqual(Date.now());
  });
});

describe('ME-5: the difference', () => {
  it('ME-5 names every file, and shows how to come from mine to the snapshot', async () => {
    const more = { 'same.md': 's', 'bin.md': Buffer.from([0, 255]) };
    const { host, place } = await memoryStage({ ...MINE, ...more }, { ...TEAM, 'same.md': 's', 'bin.md': 'text' });
    const found = await memoryDifference(host, place);
    expect(found).toMatchObject({
      ok: true,
      files: [
        { name: 'MEMORY.md', state: 'changed' },
        { name: 'bin.md', state: 'changed' },
        { name: 'mine.md', state: 'only-mine' },
        { name: 'same.md', state: 'same' },
        { name: 'team.md', state: 'only-theirs' },
      ],
    });
    expect(found.ok && found.text).toBe(
      [
        '--- mine/MEMORY.md\n+++ snapshot/MEMORY.md\n@@ -1,1 +1,1 @@\n-mine\n+team\n',
        '--- mine/bin.md\n+++ snapshot/bin.md\n@@ not text: they differ @@\n',
        '--- mine/mine.md\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-only mine\n',
        '--- /dev/null\n+++ snapshot/team.md\n@@ -0,0 +1,1 @@\n+only theirs\n',
      ].join(''),
    );
  });
});
