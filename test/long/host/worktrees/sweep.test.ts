/** The sweep at start-up: only ours, only old ones without work and owner, and what a crash left (WT-9, failures 32, 38). */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { age, letGo, NAME, sweep } from '../../../program/host/worktrees/ending/sweep-stage.js';
import { bundle } from '../../../support/bundle.js';
import { scratchFolder } from '../../../support/scratch.js';
import { rewriteRecord, workIn, worktreeStage } from '../../../support/worktree-stage.js';

describe('WT-9: the sweep', () => {
  it('WT-9: one in use by another process stays, however old; when that was killed, its locks are taken away at once', async () => {
    const stage = await worktreeStage();
    const record = await letGo(stage);
    const program = await bundle(
      new URL('../../../program/host/worktrees/ending/worktree-actor.ts', import.meta.url),
      await scratchFolder(),
    );
    const child = spawn(process.execPath, [program, 'hold', stage.repo, NAME], { env: stage.env });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    await age(stage, 300);
    expect(await sweep(stage)).toEqual({ removed: [], left: [] });
    expect(await stage.git(['worktree', 'list', '--porcelain'])).toContain('locked coppice: ');
    child.kill('SIGKILL');
    await once(child, 'exit');
    await age(stage, 1);
    expect(await sweep(stage)).toEqual({ removed: [], left: [] });
    expect(await stage.git(['worktree', 'list', '--porcelain'])).not.toContain('locked');
    expect(await stage.leftOf(record)).toEqual([
      `${NAME}.json`,
      `branch worktree-${NAME}`,
      `registration ${NAME}`,
      'folder',
    ]);
    await age(stage, 31);
    expect(await sweep(stage)).toEqual({ removed: [NAME], left: [] });
  });

  it.each([
    ['a new file', (path: string) => writeFile(join(path, 'new.txt'), 'work\n'), 'untracked: new.txt'],
    ['an ignored file', (path: string) => writeFile(join(path, 'new.log'), 'work\n'), 'untracked: new.log'],
    ['a changed file', (path: string) => writeFile(join(path, 'one.txt'), 'work\n'), 'changed: one.txt'],
    ['a longer file', (path: string) => writeFile(join(path, 'one.txt'), 'one\nmore\n'), 'changed: one.txt'],
  ])('WT-9: half made, but with %s: it is listed, and nothing is lost', async (_what, work, reason) => {
    const stage = await worktreeStage();
    const record = await letGo(stage);
    await rewriteRecord(stage, { ...record, stage: 'making' });
    await work(record.path);
    const before = await workIn(stage, record);
    const { removed, left } = await sweep(stage);
    expect({ removed, left }).toEqual({ removed: [], left: [{ name: NAME, reasons: [reason] }] });
    expect(await workIn(stage, record)).toEqual(before);
  });

  it('WT-9: registrations of others that look broken are not pruned', async () => {
    const stage = await worktreeStage();
    const away = join(stage.repo, '..', 'on-a-disk');
    await stage.git(['worktree', 'add', '-q', '--detach', away]);
    await rename(away, `${away}-not-mounted`);
    const record = await letGo(stage);
    await rewriteRecord(stage, { ...record, stage: 'removing' });
    expect(await sweep(stage)).toEqual({ removed: [NAME], left: [] });
    expect(await readdir(join(stage.checkout.commonDir, 'worktrees'))).toEqual(['on-a-disk']);
  });
});
