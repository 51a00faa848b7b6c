/** What others may have put into the folders, or put there while we work (ME-3, ME-5, GT-28). */

import { execFileSync } from 'node:child_process';
import {
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inspectSnapshot } from '../../../../../src/context/memory/snapshots/inspect-snapshot.js';
import { memoryDifference } from '../../../../../src/context/memory/snapshots/memory-difference.js';
import { recoverMemory } from '../../../../../src/context/memory/snapshots/memory-lock.js';
import { mergeMemory } from '../../../../../src/context/memory/snapshots/merge-memory.js';
import { publishMemory } from '../../../../../src/context/memory/snapshots/publish-memory.js';
import { listBackups, rollBackMemory } from '../../../../../src/context/memory/snapshots/roll-back-memory.js';
import { declineMemory, takeMemory } from '../../../../../src/context/memory/snapshots/take-memory.js';
import type { HeldFolder } from '../../../../../src/host/files.js';
import type { Host } from '../../../../../src/host/host.js';
import { copyOf, forgetLocks } from './act-stage.js';
import {
  type MemoryStage,
  memoryStage,
  put,
  quickFolder,
  replaceAll,
  snapshotJson,
  syncedIn,
  textsOf,
  treeOf,
} from './memory-stage.js';
import { stoppingHost } from './stopping-host.js';

const TEAM = { 'MEMORY.md': 'team', 'snapshot.json': snapshotJson('2026-11-02T00:00:00Z') };
const MINE = { 'MEMORY.md': 'mine' };

const ACTIONS: readonly (readonly [string, (stage: MemoryStage) => Promise<{ ok: boolean; reason?: string }>])[] = [
  ['take', ({ host, place }) => takeMemory(host, place)],
  ['merge', ({ host, place }) => mergeMemory(host, place)],
  ['publish', ({ host, place }) => publishMemory(host, place, { force: true })],
  ['roll back', ({ host, place }) => rollBackMemory(host, place, {})],
];

describe('GT-28: what is not a plain file', () => {
  it('ME-3 links, hard links and pipes of the snapshot are left out, and it says so', async () => {
    const { host, place, mine, team } = await memoryStage(MINE, { ...TEAM, 'real.txt': 'x' });
    const secret = join(quickFolder(), 'secret.md');
    writeFileSync(secret, 'secret');
    symlinkSync(secret, join(team, 'link.md'));
    symlinkSync('/nowhere', join(team, 'dangling.md'));
    linkSync(secret, join(team, 'hard.md'));
    execFileSync('mkfifo', [join(team, 'pipe.md')]);
    const done = await takeMemory(host, place);
    expect(done).toMatchObject({ ok: true, files: ['MEMORY.md'] });
    const notes = done.ok ? done.notes.join('\n') : '';
    for (const name of ['link.md', 'dangling.md', 'hard.md', 'pipe.md']) expect(notes).toContain(name);
    expect(textsOf(mine)).toEqual({ 'MEMORY.md': 'team' });
  });

  it('ME-3 links, hard links and pipes of mine are not published and not followed; the backup has them', async () => {
    const { host, place, mine, team, beside } = await memoryStage({ ...MINE, 'sub/ok.txt': 'x' }, TEAM);
    const elsewhere = quickFolder();
    writeFileSync(join(elsewhere, 'secret.md'), 'secret');
    symlinkSync(join(elsewhere, 'secret.md'), join(mine, 'link.md'));
    linkSync(join(elsewhere, 'secret.md'), join(mine, 'hard.md'));
    symlinkSync(elsewhere, join(mine, 'sub', 'out'));
    execFileSync('mkfifo', [join(mine, 'sub', 'pipe')]);
    const published = await publishMemory(host, place, { force: true });
    expect(published).toMatchObject({ ok: true });
    expect(published.ok && published.notes.join('\n')).toMatch(/hard\.md[\s\S]*link\.md|link\.md[\s\S]*hard\.md/);
    expect(textsOf(team)).toEqual({ 'MEMORY.md': 'mine' });
    put(team, TEAM);
    const before = treeOf(mine);
    const done = await takeMemory(host, place);
    expect(done.ok && done.notes.join('\n')).toMatch(/link\.md[\s\S]*sub\/(?:out|pipe)/);
    expect(treeOf(mine)).toMatchObject({ 'MEMORY.md': 'team', 'sub/ok.txt': 'x' });
    expect(Object.keys(treeOf(mine) ?? {})).toEqual(['.snapshot-synced.json', 'MEMORY.md', 'sub/', 'sub/ok.txt']);
    expect(treeOf(join(beside, 'backups', '000001'))).toEqual(before);
    await rollBackMemory(host, place, {});
    expect(treeOf(mine)).toMatchObject({ 'link.md': `-> ${elsewhere}/secret.md`, 'sub/out': `-> ${elsewhere}` });
    expect(readFileSync(join(elsewhere, 'secret.md'), 'utf8')).toBe('secret');
  });

  it('ME-5 names that are no text stay in the backup', async () => {
    const { host, place, mine, beside } = await memoryStage(MINE, TEAM);
    const odd = Buffer.concat([Buffer.from(`${mine}/odd-`), Buffer.from([0xff, 0xfe])]);
    writeFileSync(odd, 'bytes');
    expect(await takeMemory(host, place)).toMatchObject({ ok: true, notes: [expect.stringContaining('odd-')] });
    const kept = Buffer.concat([Buffer.from(`${beside}/backups/000001/odd-`), Buffer.from([0xff, 0xfe])]);
    expect(readFileSync(kept, 'utf8')).toBe('bytes');
  });
});

/** With KILLS=all as many as it takes a while to make. */
const MANY = process.env.KILLS === 'all' ? 100_000 : 5_000;

describe('GT-32: too much', () => {
  const tooMuch: readonly (readonly [string, (folder: string) => void])[] = [
    [
      'a file of a gigabyte',
      (folder) => {
        writeFileSync(join(folder, 'huge.md'), '');
        truncateSync(join(folder, 'huge.md'), 2 ** 30);
      },
    ],
    [
      'far too many names',
      (folder) => {
        for (let i = 0; i < MANY; i += 1) symlinkSync('x', join(folder, `${i}`));
      },
    ],
  ];
  it.each(tooMuch)('ME-5 %s: a reason, and nothing is changed', async (_, fill) => {
    const stage = await memoryStage(MINE, TEAM);
    fill(stage.mine);
    for (const [name, action] of ACTIONS.slice(0, 3)) {
      expect(await action(stage), name).toMatchObject({ ok: false, reason: expect.stringMatching(/more than/) });
    }
    expect(readFileSync(join(stage.mine, 'MEMORY.md'), 'utf8')).toBe('mine');
    expect(textsOf(stage.team)).toEqual({ 'MEMORY.md': 'team' });
    expect(await inspectSnapshot(stage.host, stage.place)).toMatchObject({ state: 'ask' });
    expect(treeOf(stage.beside) ?? {}).toEqual({});
  });

  it('ME-5 a huge snapshot is not taken', async () => {
    const stage = await memoryStage(MINE, TEAM);
    writeFileSync(join(stage.team, 'huge.md'), '');
    truncateSync(join(stage.team, 'huge.md'), 2 ** 30);
    expect(await takeMemory(stage.host, stage.place)).toMatchObject({
      ok: false,
      reason: expect.stringContaining('32 MB'),
    });
    expect(treeOf(stage.mine)).toEqual(MINE);
  });

  it('ME-5 too deep, or too many in folders', async () => {
    const deep = await memoryStage({ ...MINE, '1/2/3/4/5/6/7/8/ok.txt': '' }, TEAM);
    expect(await takeMemory(deep.host, deep.place)).toMatchObject({ ok: true });
    const deeper = await memoryStage({ ...MINE, '1/2/3/4/5/6/7/8/9/x.txt': '' }, TEAM);
    expect(await takeMemory(deeper.host, deeper.place)).toMatchObject({
      ok: false,
      reason: expect.stringContaining('8 folders deep'),
    });
    expect(textsOf(deeper.mine)).toEqual(MINE);
    expect(treeOf(deeper.beside)).toEqual({});
  });
});

describe('GT-28: what takes the place of our folders', () => {
  const places: readonly (readonly [string, (stage: MemoryStage, elsewhere: string) => void])[] = [
    ['.coppice is a link', ({ place }, elsewhere) => symlinkSync(elsewhere, join(place.parent, '.coppice'))],
    ['.coppice is a file', ({ place }) => writeFileSync(join(place.parent, '.coppice'), '')],
    [
      'the folder of updates is a link',
      (stage, elsewhere) => {
        mkdirSync(join(stage.beside, '..'));
        symlinkSync(elsewhere, stage.beside);
      },
    ],
    [
      'next is a link',
      (stage, elsewhere) => {
        mkdirSync(stage.beside, { recursive: true });
        symlinkSync(elsewhere, join(stage.beside, 'next'));
      },
    ],
    ['next is a file', (stage) => put(stage.beside, { next: 'x' })],
    ['next is not ours', (stage) => put(stage.beside, { 'next/folder/MEMORY.md': 'evil' })],
    [
      'next has a plan that leads elsewhere',
      (stage) => put(stage.beside, { 'next/plan.json': '{"v":1,"backup":"../../x"}' }),
    ],
    [
      'backups is a link',
      (stage, elsewhere) => {
        mkdirSync(stage.beside, { recursive: true });
        symlinkSync(elsewhere, join(stage.beside, 'backups'));
      },
    ],
    [
      'the memory is a link',
      ({ mine, place }, elsewhere) => {
        renameSync(mine, join(place.parent, 'moved'));
        symlinkSync(elsewhere, mine);
      },
    ],
    [
      'the folder around it is a link',
      ({ place }, elsewhere) => {
        renameSync(place.parent, `${place.parent}-moved`);
        symlinkSync(elsewhere, place.parent);
      },
    ],
  ];
  it.each(places)('GT-28 %s: a reason, and nothing is touched', async (_, spoil) => {
    const stage = await memoryStage(MINE, TEAM);
    const elsewhere = quickFolder();
    put(elsewhere, {
      'notes/MEMORY.md': 'theirs',
      'MEMORY.md': 'theirs',
      '000001/MEMORY.md': 'theirs',
      'plan.json': '{"v":1,"backup":"000001"}',
    });
    const before = treeOf(elsewhere);
    spoil(stage, elsewhere);
    const project = treeOf(stage.root);
    for (const [name, action] of ACTIONS) {
      const done = await action(stage);
      expect(done, name).toMatchObject({ ok: false });
      expect(done.reason, name).not.toContain('/proc/');
    }
    await recoverMemory(stage.host, stage.place);
    await listBackups(stage.host, stage.place);
    expect(treeOf(elsewhere)).toEqual(before);
    expect(treeOf(stage.root)).toMatchObject(project ?? {});
    expect(textsOf(stage.team)).toEqual({ 'MEMORY.md': 'team' });
  });

  it('ME-5 a repository that contains an update does not change a memory', async () => {
    const stage = await memoryStage(MINE, TEAM);
    const plan = { v: 1, inode: '12345', backup: '000001' };
    put(stage.beside, { 'next/plan.json': JSON.stringify(plan), 'next/folder/MEMORY.md': 'evil' });
    await recoverMemory(stage.host, stage.place);
    expect(await takeMemory(stage.host, stage.place)).toMatchObject({
      ok: false,
      reason: expect.stringContaining(`${stage.beside}/next was not made on this machine`),
    });
    expect(treeOf(stage.mine)).toEqual(MINE);
  });

  it('ME-5 nor does one that foretells the number of its folder, in the project or as a submodule', async () => {
    for (const at of ['.', '.claude/agent-memory-local/.coppice/notes']) {
      const stage = await memoryStage(MINE, TEAM);
      put(stage.beside, { 'next/folder/MEMORY.md': 'evil' });
      const plan = { v: 1, inode: String(lstatSync(join(stage.beside, 'next')).ino), backup: '000001' };
      put(stage.beside, { 'next/plan.json': JSON.stringify(plan) });
      const git = (...args: string[]) => execFileSync('git', ['-C', join(stage.root, at), ...args], { env: stage.env });
      execFileSync('git', ['init', '-q', stage.root], { env: stage.env });
      git('init', '-q');
      git('add', '-f', stage.beside);
      await recoverMemory(stage.host, stage.place);
      expect(treeOf(stage.mine), at).toEqual(MINE);
      expect(await takeMemory(stage.host, stage.place)).toMatchObject({
        ok: false,
        reason: expect.stringContaining('next was not made on this machine'),
      });
      // What git does not have, a crash left.
      git('rm', '-rq', '--cached', stage.beside);
      await recoverMemory(stage.host, stage.place);
      expect(textsOf(stage.mine), at).toEqual({ 'MEMORY.md': 'evil' });
    }
  });

  it('ME-5 a repository that contains the last backup there can be does not hide mine behind it', async () => {
    for (const part of ['backups', 'bases']) {
      const stage = await memoryStage(MINE, TEAM);
      put(stage.beside, { [`${part}/999999999999/MEMORY.md`]: 'evil' });
      expect(await takeMemory(stage.host, stage.place)).toMatchObject({
        ok: false,
        reason: expect.stringContaining(`${stage.beside} has a backup 999999999999`),
      });
      expect(treeOf(stage.mine)).toEqual(MINE);
      rmSync(join(stage.beside, part, '999999999999'), { recursive: true });
      expect(await takeMemory(stage.host, stage.place)).toMatchObject({ ok: true, backup: '000001' });
    }
  });

  it('ME-5 what is wrong beside the snapshot keeps nobody from taking it', async () => {
    const stage = await memoryStage(MINE, TEAM);
    put(join(stage.team, '..', '.coppice', 'notes'), { 'next/plan.json': '{}' });
    const refused = { ok: false, reason: expect.stringContaining('was not made on this machine') };
    expect(await publishMemory(stage.host, stage.place, { force: true })).toMatchObject(refused);
    expect(await takeMemory(stage.host, stage.place)).toMatchObject({ ok: true });
  });

  it('ME-5 a folder that somebody made again after a crash is kept, too', async () => {
    const stage = await memoryStage(MINE, TEAM);
    const rehearsal = await copyOf(stage);
    const { host, effects } = stoppingHost(rehearsal.host, { at: 0, how: 'stop' });
    await takeMemory(host, rehearsal.place);
    // Between the two renames the folder is missing.
    const at = effects.indexOf('held move notes 000001') + 2;
    await takeMemory(stoppingHost(stage.host, { at, how: 'stop' }).host, stage.place);
    forgetLocks(stage);
    expect(treeOf(stage.mine)).toBe(undefined);
    put(stage.mine, { 'new.md': 'written meanwhile' });
    await recoverMemory(stage.host, stage.place);
    expect(textsOf(stage.mine)).toEqual({ 'MEMORY.md': 'team' });
    const names = (await listBackups(stage.host, stage.place)).map(({ name }) =>
      textsOf(join(stage.beside, 'backups', name)),
    );
    expect(names).toEqual([{ 'new.md': 'written meanwhile' }, MINE]);
  });

  it('ME-5 a snapshot that changes while it is read is read again: its files belong to its time', async () => {
    const stage = await memoryStage(MINE, { ...TEAM, 'z.md': 'old' });
    const later = '2026-11-09T00:00:00Z';
    const pull = () =>
      replaceFiles(stage.team, { 'MEMORY.md': 'new', 'z.md': 'new', 'snapshot.json': snapshotJson(later) });
    expect(await takeMemory(onOpening(stage.host, 'z.md', 1, pull), stage.place)).toMatchObject({ ok: true });
    expect([textsOf(stage.mine), syncedIn(stage.mine)]).toEqual([{ 'MEMORY.md': 'new', 'z.md': 'new' }, later]);
    let day = 10;
    const always = () => {
      day += 1;
      put(stage.team, { 'snapshot.json': snapshotJson(`2026-11-${day}T00:00:00Z`) });
    };
    const before = treeOf(stage.mine);
    expect(await takeMemory(onOpening(stage.host, 'z.md', 99, always), stage.place)).toMatchObject({
      ok: false,
      reason: expect.stringContaining('is being changed'),
    });
    expect(treeOf(stage.mine)).toEqual(before);
  });

  it('ME-5 where the stamp is a folder, going back, publishing and declining never begin', async () => {
    const stage = await memoryStage(MINE, TEAM);
    await takeMemory(stage.host, stage.place);
    replaceAll(stage.mine, { ...MINE, '.snapshot-synced.json/x': '' });
    expect(await publishMemory(stage.host, stage.place, { force: true })).toMatchObject({
      ok: false,
      reason: expect.stringContaining('is a folder'),
    });
    expect(textsOf(stage.team)).toEqual({ 'MEMORY.md': 'team' });
    expect(await declineMemory(stage.host, stage.place)).toMatchObject({ ok: false });
    expect(await takeMemory(stage.host, stage.place)).toMatchObject({ ok: true });
    expect(await rollBackMemory(stage.host, stage.place, { to: '000002' })).toMatchObject({
      ok: false,
      reason: expect.stringContaining('is a folder'),
    });
    expect(await memoryDifference(stage.host, stage.place)).toMatchObject({ ok: true });
  });

  it('GT-28 a link that takes the place of any folder at any effect leads nowhere', async () => {
    const elsewhere = quickFolder();
    put(elsewhere, { 'MEMORY.md': 'theirs', 'notes/MEMORY.md': 'theirs', 'folder/MEMORY.md': 'theirs' });
    const before = treeOf(elsewhere);
    for (const target of ['around', 'mine', 'coppice', 'beside'] as const) {
      for (let at = 1; at <= 12; at += target === 'mine' ? 1 : 3) {
        const stage = await memoryStage({ ...MINE, 'sub/x.txt': 'x' }, TEAM);
        const path = {
          around: stage.place.parent,
          mine: stage.mine,
          coppice: join(stage.beside, '..'),
          beside: stage.beside,
        }[target];
        const swap = () => {
          if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
          renameSync(path, `${path}-moved`);
          symlinkSync(elsewhere, path);
        };
        await takeMemory(swapping(stage.host, at, swap), stage.place);
        expect(treeOf(elsewhere), `${target} at ${at}`).toEqual(before);
        const all = Object.entries(treeOf(stage.root) ?? {});
        expect(
          all.some(([file, text]) => file.endsWith('MEMORY.md') && text === 'mine'),
          `${target} at ${at}`,
        ).toBe(true);
      }
    }
  });
});

/** As git does it: the folder stays. */
function replaceFiles(folder: string, tree: Record<string, string>): void {
  for (const name of Object.keys(tree)) rmSync(join(folder, name), { force: true });
  put(folder, tree);
}

/** Does something when a file of that name is opened, at most so many times. */
function onOpening(host: Host, name: string, most: number, act: () => void): Host {
  let times = 0;
  const wrap = (held: HeldFolder): HeldFolder => ({
    ...held,
    openRead: (file) => {
      if (file === name && times < most) {
        times += 1;
        act();
      }
      return held.openRead(file);
    },
    enter: async (inner) => (held.path.includes('snapshots') ? wrap(await held.enter(inner)) : held.enter(inner)),
  });
  const holdFolder: Host['files']['holdFolder'] = async (path) => {
    const held = await host.files.holdFolder(path);
    return path.includes('snapshots') ? wrap(held) : held;
  };
  return { ...host, files: { ...host.files, holdFolder } };
}

/** Does something before the n-th effect on a held folder. */
function swapping(host: Host, at: number, swap: () => void): Host {
  let effects = 0;
  const due = () => {
    effects += 1;
    if (effects === at) swap();
  };
  const unwrapped = new WeakMap<HeldFolder, HeldFolder>();
  const wrap = (held: HeldFolder): HeldFolder => {
    const wrapped: HeldFolder = {
      ...held,
      enter: async (name) => {
        due();
        return wrap(await held.enter(name));
      },
      makeFolder: async (name, mode) => {
        due();
        return wrap(await held.makeFolder(name, mode));
      },
      replace: (name, content, options) => {
        due();
        return held.replace(name, content, options);
      },
      move: (name, to, toName) => {
        due();
        return held.move(name, unwrapped.get(to) ?? to, toName);
      },
    };
    unwrapped.set(wrapped, held);
    return wrapped;
  };
  return { ...host, files: { ...host.files, holdFolder: async (path) => wrap(await host.files.holdFolder(path)) } };
}
