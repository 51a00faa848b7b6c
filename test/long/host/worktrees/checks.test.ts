/** If a check of a worktree fails, it is kept (WT-7); if a removal fails, nothing is lost (WT-14). */

import { unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findWork } from '../../../../src/host/worktrees/find-work.js';
import { sweepWorktrees } from '../../../../src/host/worktrees/sweep-worktrees.js';
import { checkoutOn, FAILED, NAME, withGit } from '../../../program/host/worktrees/ending/checks-stage.js';
import { fastHost } from '../../../support/hosts/fast-host.js';
import { faultyHost } from '../../../support/hosts/faulty-host.js';
import { rewriteRecord, worktreeStage } from '../../../support/worktree-stage.js';

describe('WT-7: every check fails towards keeping', () => {
  it.each(['made', 'making'] as const)('WT-7: whichever git fails, of one that is %s', async (half) => {
    const stage = await worktreeStage();
    const { record, use } = await stage.make(NAME);
    const looked = { ...record, stage: half };
    const asked: string[] = [];
    const counting = withGit(stage.host, (args) => {
      asked.push(args.join(' '));
      return {};
    });
    expect(await findWork(counting, await checkoutOn(stage, counting), looked)).toEqual({ kind: 'none' });
    // What git is configured to run, which checkout it is, and what is only to be refreshed.
    const isNeeded = (args: string) =>
      !/^(?:config|rev-parse --(?:is-bare|path|git-dir))|--(?:really-)?refresh/.test(args);
    const needed = asked.filter(isNeeded);
    expect(needed.length).toBeGreaterThan(5);
    for (const failing of needed) {
      const host = withGit(stage.host, (args) => (args.join(' ') === failing ? FAILED : {}));
      const work = await findWork(host, await checkoutOn(stage, host), looked);
      // Where HEAD can't be read, one that is half made has none yet; its branch is checked instead.
      if (half === 'making' && failing.startsWith('rev-parse HEAD')) continue;
      expect(work, failing).toMatchObject({ kind: 'work' });
    }
    await use.release();
  });

  it('WT-7: whichever file can not be read', async () => {
    const stage = await worktreeStage();
    const { record, use } = await stage.make(NAME);
    const faultless = faultyHost(stage.host, { at: 0, lasting: false, fault: 'EIO' });
    expect(await findWork(faultless.host, stage.checkout, record)).toEqual({ kind: 'none' });
    expect(faultless.calls()).toBeGreaterThan(5);
    for (let at = 1; at <= faultless.calls(); at += 1) {
      const { host } = faultyHost(stage.host, { at, lasting: true, fault: 'EIO' });
      expect(await findWork(host, stage.checkout, record), String(at)).toMatchObject({ kind: 'work' });
    }
    await use.release();
  });
});

describe('WT-7, failures 35: the removal is git’s, and nothing comes behind it', () => {
  it('failures 39: a lock of git on all references stays; what waits for it is listed, and goes later', async () => {
    const stage = await worktreeStage();
    const { record, use } = await stage.make(NAME);
    await use.release();
    await stage.git(['worktree', 'unlock', record.path]);
    await stage.git(['worktree', 'remove', record.path]);
    await rewriteRecord(stage, { ...record, stage: 'removing' });
    const lock = join(stage.checkout.commonDir, 'packed-refs.lock');
    await writeFile(lock, '');
    await stage.git(['config', 'core.packedRefsTimeout', '0']);
    const host = fastHost(stage.repo, stage.env, 1000);
    const checkout = await checkoutOn(stage, host);
    const swept = await sweepWorktrees(host, checkout, { days: 30 });
    expect(swept.left).toEqual([{ name: NAME, reasons: [expect.stringContaining('packed-refs.lock')] }]);
    await unlink(lock);
    expect(await sweepWorktrees(host, checkout, { days: 30 })).toEqual({ removed: [NAME], left: [] });
    expect(await stage.leftOf(record)).toEqual([]);
  });
});
