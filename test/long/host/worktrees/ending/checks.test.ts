/** If a check of a worktree fails, it is kept (WT-7); if a removal fails, nothing is lost (WT-14). */

import { spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findCheckout } from '../../../../../src/host/git/checkout.js';
import type { Host } from '../../../../../src/host/host.js';
import { nodeHost } from '../../../../../src/host/node-host.js';
import { findWork } from '../../../../../src/host/worktrees/find-work.js';
import { removeWorktree } from '../../../../../src/host/worktrees/remove-worktree.js';
import { checkoutOn, FAILED, NAME, withGit } from '../../../../program/host/worktrees/ending/checks-stage.js';
import { scratchFolder } from '../../../../support/scratch.js';
import { until } from '../../../../support/until.js';
import { rewriteRecord, worktreeStage } from '../../../../support/worktree-stage.js';

describe('WT-7: every check fails towards keeping', () => {
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
