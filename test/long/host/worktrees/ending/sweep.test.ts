/** The sweep at start-up: only ours, only old ones without work and owner, and what a crash left (WT-9, failures 32, 38). */

import { mkdir, readdir, readFile, stat, truncate, unlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sweepWorktrees } from '../../../../../src/host/worktrees/sweep-worktrees.js';
import { recordsFolder, useLock } from '../../../../../src/host/worktrees/worktree-record.js';
import { age, letGo, NAME, sweep } from '../../../../program/host/worktrees/ending/sweep-stage.js';
import { rewriteRecord, worktreeStage } from '../../../../support/worktree-stage.js';

describe('WT-9: the sweep', () => {
  it('WT-9: removes worktrees unused for 30 days without work; lists those with work', async () => {
    const stage = await worktreeStage();
    const old = await letGo(stage);
    const young = await letGo(stage, 'young');
    const worked = await letGo(stage, 'worked');
    await writeFile(join(worked.path, 'new.log'), 'work\n');
    await age(stage, 30.1);
    await age(stage, 29.9, 'young');
    await age(stage, 300, 'worked');
    expect(await sweep(stage)).toEqual({
      removed: [NAME],
      left: [{ name: 'worked', reasons: ['new, though ignored: new.log'] }],
    });
    expect(await stage.leftOf(old)).toEqual([]);
    for (const { path } of [young, worked]) expect((await stat(path)).isDirectory()).toBe(true);
  });

  it('WT-9: worktrees of the user are not ours, however old, and wherever they are', async () => {
    const stage = await worktreeStage();
    const path = join(stage.repo, '.claude', 'worktrees', 'mine');
    await stage.git(['worktree', 'add', '-q', '-b', 'worktree-mine', path]);
    const long = new Date('2020-01-01');
    await utimes(path, long, long);
    expect(await sweep(stage)).toEqual({ removed: [], left: [] });
    expect(await stage.git(['worktree', 'list'])).toContain(path);
  });

  it.each(['making', 'removing'] as const)(
    'WT-9: a half-made one (%s) is removed at once, whatever is missing',
    async (half) => {
      const stage = await worktreeStage();
      const record = await letGo(stage);
      await rewriteRecord(stage, { ...record, stage: half });
      await unlink(join(record.path, 'run.sh'));
      await truncate(join(record.path, 'src', 'two.txt'), 1);
      await unlink(join(record.gitDir ?? '', 'index'));
      await writeFile(join(record.gitDir ?? '', 'index.lock'), '');
      expect(await sweep(stage)).toEqual({ removed: [NAME], left: [] });
      expect(await stage.leftOf(record)).toEqual([]);
    },
  );

  it('WT-9: half made, with a commit on its branch: it is listed', async () => {
    const stage = await worktreeStage();
    const record = await letGo(stage);
    await rewriteRecord(stage, { ...record, stage: 'removing' });
    await stage.git(['commit', '-q', '--allow-empty', '-m', 'work'], record.path);
    expect((await sweep(stage)).left).toEqual([
      { name: NAME, reasons: [expect.stringContaining('1 commit beyond its start')] },
    ]);
  });

  it('WT-9, failures 38: a registration that git only began goes with its lock', async () => {
    const stage = await worktreeStage();
    const record = await letGo(stage);
    const { gitDir = '', ...begun } = record;
    for (const keep of [['locked'], ['locked', 'gitdir'], []]) {
      await stage.tryGit(['worktree', 'remove', '--force', '--force', record.path]);
      await mkdir(gitDir, { recursive: true });
      if (keep.includes('locked'))
        await writeFile(join(gitDir, 'locked'), 'coppice: in use by session session-1 (process 1)');
      if (keep.includes('gitdir')) await writeFile(join(gitDir, 'gitdir'), `${join(record.path, '.git')}\n`);
      await mkdir(record.path, { recursive: true });
      await rewriteRecord(stage, { ...begun, stage: 'making' });
      expect(await sweep(stage), keep.join()).toEqual({ removed: [NAME], left: [] });
      expect(await stage.leftOf(record), keep.join()).toEqual([]);
    }
  });

  it('WT-9: locks and drafts of dead processes without a record are taken away, those of the living are not', async () => {
    const stage = await worktreeStage();
    const folder = recordsFolder(stage.checkout.commonDir);
    const { use } = await stage.make(NAME);
    const dead = JSON.stringify({ pid: 2 ** 22 + 1, started: 'proc:1', token: 'dead-token', since: '' });
    const own = await readFile(useLock(stage.checkout.commonDir, NAME));
    const space = (JSON.parse(own.toString()) as { space: string }).space;
    const left = JSON.stringify({ ...JSON.parse(dead), space });
    await writeFile(join(folder, 'other.lock'), left);
    await writeFile(join(folder, 'other.lock.dead-token.tmp'), left);
    await writeFile(join(folder, 'other.lock.live-token.tmp'), own);
    // Left by a process that was killed when it had taken a lock over.
    await writeFile(join(folder, 'gone.lock.next-dead-token'), left);
    expect(await sweep(stage)).toEqual({ removed: [], left: [] });
    expect((await readdir(folder)).sort()).toEqual([`${NAME}.json`, `${NAME}.lock`, 'other.lock.live-token.tmp']);
    await use.release();
  });

  it('WT-9: stops when it is aborted', async () => {
    const stage = await worktreeStage();
    await letGo(stage);
    await age(stage, 31);
    const swept = await sweepWorktrees(stage.host, stage.checkout, { days: 30, signal: AbortSignal.abort() });
    expect(swept).toEqual({ removed: [], left: [] });
  });
});
