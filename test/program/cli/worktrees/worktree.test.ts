/** `coppice worktree` with the real program: list, diff, apply, remove; what is wrong is reported, with exit codes (WT-12). */

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildProgram, runProgram, runShell } from '../../../support/program.js';
import { setStage } from '../../../support/story.js';
import { makeRepository } from '../../../support/worktrees.js';
import { runWorktree } from './worktree-stage.js';

beforeAll(buildProgram);

describe('coppice worktree', () => {
  it('WT-12: list shows branch, commits, changed files, owner, age and place, also as JSON; diff shows them, for git apply', async () => {
    const stage = await setStage();
    const { worktree, folder } = await makeRepository(stage.folder, { f: 'one\n', g: 'g\n' });
    expect(await runWorktree(stage, 'list')).toMatchObject({
      code: 0,
      stdout: 'No worktrees of agents or sessions here.\n',
    });
    const { path } = await worktree('agent-1a2b3c4d', { f: 'two\n', new: 'new\n' });
    execFileSync('git', ['-C', path, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qam', 'x']);
    await worktree('agent-5e6f7a8b');
    const { stdout, code } = await runWorktree(stage, 'list');
    expect(code).toBe(0);
    expect(stdout.split('\n')).toEqual([
      'agent-1a2b3c4d  kept  branch worktree-agent-1a2b3c4d, 1 commit, 2 files changed, agent 1a2b3c4d, just now',
      `    ${folder}/.claude/worktrees/agent-1a2b3c4d`,
      'agent-5e6f7a8b  kept  branch worktree-agent-5e6f7a8b, 0 commits, 0 files changed, agent 5e6f7a8b, just now',
      `    ${folder}/.claude/worktrees/agent-5e6f7a8b`,
      '',
    ]);
    const [first] = JSON.parse((await runWorktree(stage, 'list', '--json')).stdout);
    expect(first).toMatchObject({
      name: 'agent-1a2b3c4d',
      commits: 1,
      changedFiles: 2,
      isOwnerAlive: false,
      state: 'kept',
    });
    const { stdout: shown } = await runWorktree(stage, 'diff', 'agent-1a2b3c4d');
    expect(shown).toContain('-one\n+two\n');
    expect(shown).toContain('+++ b/new\n');
    execFileSync('git', ['-C', folder, 'apply', '--check'], { input: shown });
    const stat = await runWorktree(stage, 'diff', '1a2b', '--stat');
    expect(stat.stdout).toMatch(/f {3}\| 2 \+-\n new \| 1 \+\n 2 files changed/);
    expect(await runWorktree(stage, 'diff', 'agent-5e6f7a8b')).toMatchObject({ code: 0, stdout: '' });
  });

  it('WT-12: apply brings it, unstaged, and shows how to go back; that works; the second has nothing to do', async () => {
    const stage = await setStage();
    const { worktree, git } = await makeRepository(stage.folder, { 'sub/it’s f': 'one\n', g: 'g\n' });
    const { path } = await worktree('agent-1a2b3c4d', { 'sub/it’s f': 'two\n', new: 'new\n' });
    execFileSync('rm', [join(path, 'g')]);
    const inSub = { ...stage.at, cwd: join(stage.folder, 'sub') };
    const applied = await runProgram(['worktree', 'apply', 'agent-1a2b3c4d'], inSub);
    expect(applied).toMatchObject({ code: 0, stderr: '' });
    const [, back = ''] = /To undo: (git restore .*) ; then delete the added files\n/.exec(applied.stdout) ?? [];
    expect(applied.stdout).toMatch(
      /^Applied agent-1a2b3c4d: 3 files, unstaged\.\n {2}deleted {2}g\n {2}added {4}new\n {2}changed {2}sub\/it’s f\nThe previous state is saved as refs\/coppice\/backup\/agent-1a2b3c4d-/,
    );
    expect(git('status', '--porcelain', '-z').replaceAll('\0', '\n')).toBe(' D g\n M sub/it’s f\n?? new\n');
    expect(await runWorktree(stage, 'apply', 'agent-1a2b3c4d')).toMatchObject({
      code: 0,
      stdout: 'Nothing to apply: everything from agent-1a2b3c4d is already here.\n',
    });
    expect(await runShell(back, inSub)).toMatchObject({ code: 0, stderr: '' });
    expect(git('status', '--porcelain')).toBe('?? new\n');
    const again = JSON.parse((await runWorktree(stage, 'apply', 'agent-1a2b3c4d', '--json')).stdout);
    expect(again).toMatchObject({
      ok: true,
      name: 'agent-1a2b3c4d',
      changed: [{ path: 'g', how: 'deleted' }, { path: 'sub/it’s f' }],
    });
  });

  it('WT-12: remove refuses work and reports what it holds; --discard removes it; an empty one just goes', async () => {
    const stage = await setStage();
    const { worktree, git } = await makeRepository(stage.folder, { f: 'one\n' });
    const { path } = await worktree('agent-1a2b3c4d', { f: 'two\n', new: 'new\n' });
    const empty = await worktree('agent-5e6f7a8b');
    const refused = await runWorktree(stage, 'remove', 'agent-1a2b3c4d');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(
      /^error: Worktree agent-1a2b3c4d was not removed:\n.*changed.*\bf\b.*\n.*untracked.*new/,
    );
    expect(refused.stderr).toContain('coppice worktree remove agent-1a2b3c4d --discard');
    expect(JSON.parse((await runWorktree(stage, 'remove', 'agent-1a2b3c4d', '--json')).stdout)).toMatchObject({
      ok: false,
      name: 'agent-1a2b3c4d',
    });
    expect(existsSync(join(path, 'new'))).toBe(true);
    expect(await runWorktree(stage, 'remove', 'agent-1a2b3c4d', '--discard')).toMatchObject({
      code: 0,
      stdout: 'Removed worktree agent-1a2b3c4d.\n',
    });
    expect(existsSync(path)).toBe(false);
    expect(await runWorktree(stage, 'remove', 'agent-5e6f7a8b')).toMatchObject({ code: 0 });
    expect(existsSync(empty.path)).toBe(false);
    expect(git('branch', '--list', 'worktree-*')).toBe('');
    expect((await runWorktree(stage, 'list')).stdout).toBe('No worktrees of agents or sessions here.\n');
  });
});
