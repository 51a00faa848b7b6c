/** A git that was killed while it registered one of our worktrees: every file of it missing or empty (WT-9, WT-14). */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sweepWorktrees } from '../../../../src/host/worktrees/sweep-worktrees.js';
import { openRecords } from '../../../../src/host/worktrees/worktree-record.js';
import { worktreeStage } from '../../../support/worktree-stage.js';

const NAME = 'agent-12345678';

/** The files that `git worktree add` writes, in order. */
const WRITTEN = ['folder', 'locked', 'gitdir', '.git', 'HEAD', 'commondir'] as const;

const STEPS = WRITTEN.flatMap((last, count) =>
  (['nothing', 'an empty file', 'all of it'] as const).map((how) => ({ last, count, how })),
);

it.each(STEPS)('WT-9, WT-14, failures 38: killed with $how of $last written', async ({ count, how }) => {
  const stage = await worktreeStage();
  const own = await stage.ownState();
  const { record, use } = await stage.make(NAME);
  await stage.git(['worktree', 'unlock', record.path]);
  await stage.git(['worktree', 'remove', '--force', record.path]);
  await use.release();
  const { gitDir: _, ...making } = record;
  await openRecords(stage.host, stage.checkout.commonDir).write({ ...making, stage: 'making' });
  const registration = join(stage.checkout.commonDir, 'worktrees', NAME);
  const contents = {
    locked: 'coppice: in use by agent agent-1 of session session-1 (process 1)',
    gitdir: `${join(record.path, '.git')}\n`,
    '.git': `gitdir: ${registration}\n`,
    HEAD: `${'0'.repeat(40)}\n`,
    commondir: '../..\n',
  };
  for (const [index, name] of WRITTEN.entries()) {
    if (index > count || (index === count && how === 'nothing')) break;
    if (name === 'folder') {
      await mkdir(registration, { recursive: true });
      await mkdir(record.path, { recursive: true });
      continue;
    }
    const file = name === '.git' ? join(record.path, name) : join(registration, name);
    await writeFile(file, index === count && how === 'an empty file' ? '' : contents[name]);
  }
  expect(await sweepWorktrees(stage.host, stage.checkout, { days: 30 })).toEqual({ removed: [NAME], left: [] });
  expect(await stage.leftOf(record)).toEqual([]);
  expect(await stage.ownState()).toEqual(own);
  // The user's git works again.
  expect(await stage.git(['branch', '--format=%(refname:short)'])).toBe('main');
  expect((await stage.git(['worktree', 'list'])).split('\n')).toHaveLength(1);
});
