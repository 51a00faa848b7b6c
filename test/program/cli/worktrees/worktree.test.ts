/** `coppice worktree` with the real program: list, diff, apply, remove; what is wrong is said, with exit codes (WT-12). */

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { findCheckout } from '../../../../src/host/git/checkout.js';
import { nodeHost } from '../../../../src/host/node-host.js';
import { openRecords } from '../../../../src/host/worktrees/worktree-record.js';
import { buildProgram, runProgram, runShell } from '../../../support/program.js';
import { type Stage, setStage } from '../../../support/story.js';
import { makeRepository } from '../../../support/worktrees.js';

beforeAll(buildProgram);

const run = (stage: Stage, ...args: readonly string[]) => runProgram(['worktree', ...args], stage.at);

describe('coppice worktree', () => {
  it('WT-12: list says branch, commits, changed files, owner, age and place, also as JSON; diff shows them, for git apply', async () => {
    const stage = await setStage();
    const { worktree, folder } = await makeRepository(stage.folder, { f: 'one\n', g: 'g\n' });
    expect(await run(stage, 'list')).toMatchObject({
      code: 0,
      stdout: 'There are no worktrees of agents or sessions here.\n',
    });
    const { path } = await worktree('agent-1a2b3c4d', { f: 'two\n', new: 'new\n' });
    execFileSync('git', ['-C', path, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qam', 'x']);
    await worktree('agent-5e6f7a8b');
    const { stdout, code } = await run(stage, 'list');
    expect(code).toBe(0);
    expect(stdout.split('\n')).toEqual([
      'agent-1a2b3c4d  kept  branch worktree-agent-1a2b3c4d, 1 commit, 2 files changed, agent 1a2b3c4d, just now',
      `    ${folder}/.claude/worktrees/agent-1a2b3c4d`,
      'agent-5e6f7a8b  kept  branch worktree-agent-5e6f7a8b, 0 commits, 0 files changed, agent 5e6f7a8b, just now',
      `    ${folder}/.claude/worktrees/agent-5e6f7a8b`,
      '',
    ]);
    const [first] = JSON.parse((await run(stage, 'list', '--json')).stdout);
    expect(first).toMatchObject({
      name: 'agent-1a2b3c4d',
      commits: 1,
      changedFiles: 2,
      isOwnerAlive: false,
      state: 'kept',
    });
    const { stdout: shown } = await run(stage, 'diff', 'agent-1a2b3c4d');
    expect(shown).toContain('-one\n+two\n');
    expect(shown).toContain('+++ b/new\n');
    execFileSync('git', ['-C', folder, 'apply', '--check'], { input: shown });
    const stat = await run(stage, 'diff', '1a2b', '--stat');
    expect(stat.stdout).toMatch(/f {3}\| 2 \+-\n new \| 1 \+\n 2 files changed/);
    expect(await run(stage, 'diff', 'agent-5e6f7a8b')).toMatchObject({ code: 0, stdout: '' });
  });

  it('WT-12: apply brings it, unstaged, and says how to go back; that works; the second has nothing to do', async () => {
    const stage = await setStage();
    const { worktree, git } = await makeRepository(stage.folder, { 'sub/it’s f': 'one\n', g: 'g\n' });
    const { path } = await worktree('agent-1a2b3c4d', { 'sub/it’s f': 'two\n', new: 'new\n' });
    execFileSync('rm', [join(path, 'g')]);
    const inSub = { ...stage.at, cwd: join(stage.folder, 'sub') };
    const applied = await runProgram(['worktree', 'apply', 'agent-1a2b3c4d'], inSub);
    expect(applied).toMatchObject({ code: 0, stderr: '' });
    const [, back = ''] = /To go back: (git restore .*) ; then delete the added files\n/.exec(applied.stdout) ?? [];
    expect(applied.stdout).toMatch(
      /^Applied agent-1a2b3c4d: 3 files, unstaged\.\n {2}deleted {2}g\n {2}added {4}new\n {2}changed {2}sub\/it’s f\nWhat was here before is in refs\/coppice\/backup\/agent-1a2b3c4d-/,
    );
    expect(git('status', '--porcelain', '-z').replaceAll('\0', '\n')).toBe(' D g\n M sub/it’s f\n?? new\n');
    expect(await run(stage, 'apply', 'agent-1a2b3c4d')).toMatchObject({
      code: 0,
      stdout: 'There is nothing to apply: all of agent-1a2b3c4d is here already.\n',
    });
    expect(await runShell(back, inSub)).toMatchObject({ code: 0, stderr: '' });
    expect(git('status', '--porcelain')).toBe('?? new\n');
    const again = JSON.parse((await run(stage, 'apply', 'agent-1a2b3c4d', '--json')).stdout);
    expect(again).toMatchObject({
      ok: true,
      name: 'agent-1a2b3c4d',
      changed: [{ path: 'g', how: 'deleted' }, { path: 'sub/it’s f' }],
    });
  });

  it('WT-12: a conflict is shown and ends with 1; control characters of an agent do not reach the terminal', async () => {
    const stage = await setStage();
    const { worktree } = await makeRepository(stage.folder, { f: 'one\n' });
    await worktree('agent-1a2b3c4d', { f: 'theirs \u001b[2J\n', 'n\u001b[31m\nw': 'x\n' });
    await stage.write('f', 'mine\n');
    const refused = await run(stage, 'apply', 'agent-1a2b3c4d');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain(
      [
        '  f',
        '    CONFLICT (content): Merge conflict in f',
        '      <<<<<<< this checkout',
        '      mine',
        '      =======',
        '      theirs ',
        '      >>>>>>> worktree agent-1a2b3c4d',
      ].join('\n'),
    );
    expect(await stage.read('f')).toBe('mine\n');
    expect(JSON.parse((await run(stage, 'apply', 'agent-1a2b3c4d', '--json')).stdout)).toMatchObject({
      ok: false,
      conflicts: [{ path: 'f' }],
    });
    await stage.write('f', 'one\n');
    const applied = await run(stage, 'apply', 'agent-1a2b3c4d');
    expect(applied.stdout).toContain('  added    n\\u{1b}[31m\\nw\n');
    expect(applied.stdout + refused.stderr).not.toContain('\u001b');
  });

  it('WT-12: remove refuses work and says what it holds; --discard removes it; an empty one just goes', async () => {
    const stage = await setStage();
    const { worktree, git } = await makeRepository(stage.folder, { f: 'one\n' });
    const { path } = await worktree('agent-1a2b3c4d', { f: 'two\n', new: 'new\n' });
    const empty = await worktree('agent-5e6f7a8b');
    const refused = await run(stage, 'remove', 'agent-1a2b3c4d');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(
      /^error: Worktree agent-1a2b3c4d was not removed:\n.*changed.*\bf\b.*\n.*untracked.*new/,
    );
    expect(refused.stderr).toContain('coppice worktree remove agent-1a2b3c4d --discard');
    expect(JSON.parse((await run(stage, 'remove', 'agent-1a2b3c4d', '--json')).stdout)).toMatchObject({
      ok: false,
      name: 'agent-1a2b3c4d',
    });
    expect(existsSync(join(path, 'new'))).toBe(true);
    expect(await run(stage, 'remove', 'agent-1a2b3c4d', '--discard')).toMatchObject({
      code: 0,
      stdout: 'Removed worktree agent-1a2b3c4d.\n',
    });
    expect(existsSync(path)).toBe(false);
    expect(await run(stage, 'remove', 'agent-5e6f7a8b')).toMatchObject({ code: 0 });
    expect(existsSync(empty.path)).toBe(false);
    expect(git('branch', '--list', 'worktree-*')).toBe('');
    expect((await run(stage, 'list')).stdout).toBe('There are no worktrees of agents or sessions here.\n');
  });

  it('WT-11, WT-12: a WorktreeRemove hook is told first, of settings that count; one that a hook made it removes itself', async () => {
    const stage = await setStage();
    const { worktree } = await makeRepository(stage.folder, { f: 'one\n' });
    const hook = (command: string) => ({ hooks: { WorktreeRemove: [{ hooks: [{ type: 'command', command }] }] } });
    const told = join(stage.home, 'told');
    // Of a project nobody trusts: not run.
    await stage.write('.claude/settings.json', JSON.stringify(hook(`touch ${join(stage.home, 'untrusted')}`)));
    await stage.settings(hook(`cat >>${told}; test -d .claude/worktrees/agent-1a2b3c4d && echo there >>${told}`));
    const { path } = await worktree('agent-1a2b3c4d', { f: 'two\n' });
    expect(await run(stage, 'remove', 'agent-1a2b3c4d')).toMatchObject({ code: 1 });
    expect(existsSync(told)).toBe(false);
    expect(await run(stage, 'remove', 'agent-1a2b3c4d', '--discard')).toMatchObject({ code: 0 });
    expect(await readFile(told, 'utf8')).toMatch(new RegExp(`"worktree_path":"${path}".*there\\n$`, 's'));
    expect(existsSync(join(stage.home, 'untrusted'))).toBe(false);
    // Of one that is trusted, but not approved: not run either, and said.
    await worktree('agent-5e6f7a8b');
    expect((await runProgram(['trust'], stage.at)).code).toBe(0);
    const unapproved = await run(stage, 'remove', 'agent-5e6f7a8b');
    expect(unapproved).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/WorktreeRemove hook in \.claude\/settings\.json is not approved/),
    });
    expect(existsSync(join(stage.home, 'untrusted'))).toBe(false);
    const host = nodeHost(stage.folder);
    const found = await findCheckout(host, stage.folder, { trusted: true });
    if (!found.ok) throw new Error(found.reason);
    await mkdir(join(stage.home, 'by-hook'));
    await writeFile(join(stage.home, 'by-hook', 'x'), 'x');
    await openRecords(host, found.checkout.commonDir).write({
      ...{ v: 1, name: 'by-hook', path: join(stage.home, 'by-hook'), branch: '', base: '', start: '' },
      ...{
        madeBy: 'hook',
        stage: 'made',
        created: new Date().toISOString(),
        owner: { session: 's' },
        from: stage.folder,
      },
      ...{ placed: [], stashes: [] },
    });
    expect((await run(stage, 'list')).stdout).toContain('made by a WorktreeCreate hook');
    expect((await run(stage, 'apply', 'by-hook')).stderr).toMatch(
      /made by a WorktreeCreate hook .*: get its work back the way/,
    );
    expect(await run(stage, 'remove', 'by-hook', '--discard')).toMatchObject({ code: 1 });
    await stage.settings(hook(`rm -r ${join(stage.home, 'by-hook')}`));
    expect(await run(stage, 'remove', 'by-hook', '--discard')).toMatchObject({ code: 0 });
    expect(existsSync(join(stage.home, 'by-hook'))).toBe(false);
    expect((await run(stage, 'list')).stdout).toContain('There are no worktrees');
  });

  it('WT-1, WT-12: wrong names, unknown ones and wrong places are said, and end with 2', async () => {
    const stage = await setStage();
    for (const args of [['list'], ['diff', 'x'], ['apply', 'x'], ['remove', 'x']]) {
      const { code, stderr } = await run(stage, ...args);
      expect({ code, stderr }, args[0]).toEqual({
        code: 2,
        stderr: `error: ${stage.folder} is not in a git repository (git init makes one)\n`,
      });
    }
    const { worktree } = await makeRepository(stage.folder, { f: 'one\n' });
    await worktree('agent-1a2b3c4d');
    for (const verb of ['diff', 'apply', 'remove']) {
      expect(await run(stage, verb, '../x'), verb).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('"../x" can\'t be the name of a worktree: use 1 to 64'),
      });
      expect(await run(stage, verb, 'agent-1a2b3c4e'), verb).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(
          'there is no worktree agent-1a2b3c4e, and no agent of that name with one; did you mean agent-1a2b3c4d?',
        ),
      });
      expect(await run(stage, verb, 'other'), verb).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('there are: agent-1a2b3c4d'),
      });
    }
    expect(await run(stage, 'apply')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("missing required argument 'name'"),
    });
    const help = await run(stage, 'apply', '--help');
    expect(help).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Example:\n  coppice worktree apply agent-1a2b3c4d'),
    });
  });
});
