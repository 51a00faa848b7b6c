/** If a check of a worktree fails, it is kept (WT-7); if a removal fails, nothing is lost (WT-14). */

import { spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findCheckout } from '../../../../../src/host/git/checkout.js';
import type { Host } from '../../../../../src/host/host.js';
import { nodeHost } from '../../../../../src/host/node-host.js';
import type { FinishedProcess } from '../../../../../src/host/processes.js';
import { findWork } from '../../../../../src/host/worktrees/find-work.js';
import { removeWorktree } from '../../../../../src/host/worktrees/remove-worktree.js';
import { sweepWorktrees } from '../../../../../src/host/worktrees/sweep-worktrees.js';
import { fastHost } from '../../../../support/hosts/fast-host.js';
import { faultyHost } from '../../../../support/hosts/faulty-host.js';
import { scratchFolder } from '../../../../support/scratch.js';
import { until } from '../../../../support/until.js';
import { rewriteRecord, type WorktreeStage, worktreeStage } from '../../../../support/worktree-stage.js';

const NAME = 'agent-12345678';

/** A machine on which git fails where the test requires it. */
function withGit(
  host: Host,
  change: (args: readonly string[], done: FinishedProcess) => Partial<FinishedProcess>,
): Host {
  const run: Host['processes']['run'] = async (command) => {
    const done = await host.processes.run(command);
    return { ...done, ...change(command.args, done) };
  };
  const changed = { ...host, processes: { ...host.processes, run }, at: () => changed };
  return changed;
}

async function checkoutOn(stage: WorktreeStage, host: Host) {
  const found = await findCheckout(host, stage.repo, { trusted: false });
  if (!found.ok) throw new Error(found.reason);
  return found.checkout;
}

const FAILED = { code: 128, stdout: Buffer.alloc(0), stderr: Buffer.from('fatal: made up\n') };

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

  it('WT-7: a folder that git could not open is not an empty one', async () => {
    const stage = await worktreeStage();
    const { record, use } = await stage.make(NAME);
    const stderr = Buffer.from("warning: could not open directory 'secret/': Permission denied\n");
    const host = withGit(stage.host, (args) => (args.includes('status') ? { stderr } : {}));
    expect(await findWork(host, stage.checkout, record)).toEqual({
      kind: 'work',
      reasons: [expect.stringMatching(/^it could not be checked: .*could not open directory/)],
    });
    await use.release();
  });
});

describe('WT-7, failures 35: the removal is git’s, and nothing comes behind it', () => {
  it('failures 35: if git refuses or fails, it is kept unchanged, and removed the next time', async () => {
    const stage = await worktreeStage();
    for (const part of ['worktree unlock', 'worktree remove', 'for-each-ref', 'update-ref -d', 'worktree list']) {
      const { record, use } = await stage.make(NAME, {});
      const own = await stage.ownState();
      const refuse: Host = {
        ...stage.host,
        processes: {
          ...stage.host.processes,
          run: async (command) =>
            command.args.join(' ').startsWith(part)
              ? { ...(await stage.host.processes.run({ ...command, args: ['version'] })), ...FAILED }
              : stage.host.processes.run(command),
        },
      };
      const removal = await removeWorktree(refuse, await checkoutOn(stage, refuse), NAME, { use });
      expect(removal.kind, part).toBe('kept');
      if (part !== 'for-each-ref' && part !== 'update-ref -d') expect(await stage.leftOf(record)).toContain('folder');
      expect(await stage.ownState(), part).toEqual(own);
      const again = await removeWorktree(stage.host, stage.checkout, NAME, { use });
      expect(again.kind, part).toMatch(/^(?:removed|gone)$/);
      await use.release();
      expect(await stage.leftOf(record), part).toEqual([]);
    }
  });

  it('WT-7: a file created between the check and the removal is noticed by git; the links are restored', async () => {
    const stage = await worktreeStage();
    await stage.git(['config', 'core.excludesFile', '/dev/null']);
    const { record, use } = await stage.make(NAME);
    const target = join(stage.repo, 'src');
    await symlink(target, join(record.path, 'linked'));
    await rewriteRecord(stage, { ...record, placed: [{ kind: 'link', path: 'linked', target }] });
    const late: Host = {
      ...stage.host,
      processes: {
        ...stage.host.processes,
        run: async (command) => {
          if (command.args.join(' ').startsWith('worktree remove')) await writeFile(join(record.path, 'late.txt'), 'x');
          return stage.host.processes.run(command);
        },
      },
    };
    expect(await removeWorktree(late, await checkoutOn(stage, late), NAME, { use })).toEqual({
      kind: 'kept',
      reasons: [expect.stringMatching(/^git does not remove it: .*contains modified or untracked files/)],
    });
    expect(
      await findWork(stage.host, stage.checkout, { ...record, placed: [{ kind: 'link', path: 'linked', target }] }),
    ).toEqual({
      kind: 'work',
      reasons: ['untracked: late.txt'],
    });
    await use.release();
  });

  it('WT-7: a commit made between the check and the removal keeps the branch, and its record', async () => {
    const stage = await worktreeStage();
    const { record, use } = await stage.make(NAME);
    const commit = await stage.git(['commit-tree', '-p', record.start, '-m', 'late', 'HEAD^{tree}']);
    const late: Host = {
      ...stage.host,
      processes: {
        ...stage.host.processes,
        run: async (command) => {
          if (command.args.join(' ').startsWith('worktree remove')) {
            await stage.git(['update-ref', `refs/heads/${record.branch}`, commit]);
          }
          return stage.host.processes.run(command);
        },
      },
    };
    expect(await removeWorktree(late, await checkoutOn(stage, late), NAME, { use })).toMatchObject({ kind: 'kept' });
    expect(await stage.git(['rev-parse', record.branch])).toBe(commit);
    expect(await stage.leftOf(record)).toContain(`${NAME}.json`);
    await use.release();
  });

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

  it('WT-7: one can be removed from within itself, and its branch goes, too', async () => {
    const stage = await worktreeStage();
    const { record, use } = await stage.make(NAME);
    await use.release();
    const found = await findCheckout(stage.host, record.path, { trusted: false });
    if (!found.ok) throw new Error(found.reason);
    expect(await removeWorktree(nodeHost(record.path, stage.env), found.checkout, NAME)).toEqual({ kind: 'removed' });
    expect(await stage.leftOf(record)).toEqual([]);
  });

  it('WT-1: an invalid name is refused, and an unknown one is reported as gone', async () => {
    const { host, checkout } = await worktreeStage();
    for (const name of ['../x', '', '.git', 'a/b', 'A']) {
      expect(await removeWorktree(host, checkout, name, { discard: true })).toMatchObject({ kind: 'kept' });
    }
    expect(await removeWorktree(host, checkout, 'none')).toEqual({ kind: 'gone' });
  });
});

describe('WT-8: processes that work in a folder', () => {
  it('WT-8: by their folder, or a git with it as an argument; none elsewhere', async () => {
    const folder = await scratchFolder();
    const { processes } = nodeHost(folder);
    expect(await processes.workingIn(folder)).toEqual([]);
    const child = spawn('sleep', ['61'], { cwd: folder, stdio: 'ignore' });
    // It waits for its input.
    const git = spawn('git', ['hash-object', '--stdin'], { cwd: '/', stdio: ['pipe', 'ignore', 'ignore'] });
    const about = spawn('git', ['-C', folder, 'hash-object', '--stdin'], {
      cwd: '/',
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    onTestFinished(() => {
      for (const one of [child, git, about]) one.kill('SIGKILL');
    });
    await until(async () => (await processes.workingIn(folder)).length === 2);
    expect((await processes.workingIn(folder)).map(({ pid }) => pid).sort()).toEqual([child.pid, about.pid].sort());
    expect(await processes.workingIn(`${folder}-other`)).toEqual([]);
    expect((await processes.workingIn(realpathSync('/tmp'))).map(({ pid }) => pid)).toContain(child.pid);
  });
});
