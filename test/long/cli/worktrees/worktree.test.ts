/** `coppice worktree` with the real program: list, diff, apply, remove; what is wrong is reported, with exit codes (WT-12). */

import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { findCheckout } from '../../../../src/host/git/checkout.js';
import { nodeHost } from '../../../../src/host/node-host.js';
import { openRecords } from '../../../../src/host/worktrees/worktree-record.js';
import { runWorktree } from '../../../program/cli/worktrees/worktree-stage.js';
import { buildProgram, runProgram } from '../../../support/program.js';
import { setStage } from '../../../support/story.js';
import { makeRepository } from '../../../support/worktrees.js';

beforeAll(buildProgram);

describe('coppice worktree', () => {
  it('WT-12: a conflict is shown and ends with 1; control characters of an agent do not reach the terminal', async () => {
    const stage = await setStage();
    const { worktree } = await makeRepository(stage.folder, { f: 'one\n' });
    await worktree('agent-1a2b3c4d', { f: 'theirs \u001b[2J\n', 'n\u001b[31m\nw': 'x\n' });
    await stage.write('f', 'mine\n');
    const refused = await runWorktree(stage, 'apply', 'agent-1a2b3c4d');
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
    expect(JSON.parse((await runWorktree(stage, 'apply', 'agent-1a2b3c4d', '--json')).stdout)).toMatchObject({
      ok: false,
      conflicts: [{ path: 'f' }],
    });
    await stage.write('f', 'one\n');
    const applied = await runWorktree(stage, 'apply', 'agent-1a2b3c4d');
    expect(applied.stdout).toContain('  added    n\\u{1b}[31m\\nw\n');
    expect(applied.stdout + refused.stderr).not.toContain('\u001b');
  });

  it('WT-11, WT-12: a WorktreeRemove hook is called first, of settings that apply; one that a hook made it removes itself', async () => {
    const stage = await setStage();
    const { worktree } = await makeRepository(stage.folder, { f: 'one\n' });
    const hook = (command: string) => ({ hooks: { WorktreeRemove: [{ hooks: [{ type: 'command', command }] }] } });
    const told = join(stage.home, 'told');
    // Of a project nobody trusts: not run.
    await stage.write('.claude/settings.json', JSON.stringify(hook(`touch ${join(stage.home, 'untrusted')}`)));
    await stage.settings(hook(`cat >>${told}; test -d .claude/worktrees/agent-1a2b3c4d && echo there >>${told}`));
    const { path } = await worktree('agent-1a2b3c4d', { f: 'two\n' });
    expect(await runWorktree(stage, 'remove', 'agent-1a2b3c4d')).toMatchObject({ code: 1 });
    expect(existsSync(told)).toBe(false);
    expect(await runWorktree(stage, 'remove', 'agent-1a2b3c4d', '--discard')).toMatchObject({ code: 0 });
    expect(await readFile(told, 'utf8')).toMatch(new RegExp(`"worktree_path":"${path}".*there\\n$`, 's'));
    expect(existsSync(join(stage.home, 'untrusted'))).toBe(false);
    // Of one that is trusted, but not approved: not run either, and said.
    await worktree('agent-5e6f7a8b');
    expect((await runProgram(['trust'], stage.at)).code).toBe(0);
    const unapproved = await runWorktree(stage, 'remove', 'agent-5e6f7a8b');
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
    expect((await runWorktree(stage, 'list')).stdout).toContain('made by a WorktreeCreate hook');
    expect((await runWorktree(stage, 'apply', 'by-hook')).stderr).toMatch(
      /made by a WorktreeCreate hook .*: use its own version control to get its work/,
    );
    expect(await runWorktree(stage, 'remove', 'by-hook', '--discard')).toMatchObject({ code: 1 });
    await stage.settings(hook(`rm -r ${join(stage.home, 'by-hook')}`));
    expect(await runWorktree(stage, 'remove', 'by-hook', '--discard')).toMatchObject({ code: 0 });
    expect(existsSync(join(stage.home, 'by-hook'))).toBe(false);
    expect((await runWorktree(stage, 'list')).stdout).toContain('No worktrees of');
  });

  it('WT-1, WT-12: wrong names, unknown ones and wrong places are reported, and end with 2', async () => {
    const stage = await setStage();
    for (const args of [['list'], ['diff', 'x'], ['apply', 'x'], ['remove', 'x']]) {
      const { code, stderr } = await runWorktree(stage, ...args);
      expect({ code, stderr }, args[0]).toEqual({
        code: 2,
        stderr: `error: ${stage.folder} is not in a git repository (git init makes one)\n`,
      });
    }
    const { worktree } = await makeRepository(stage.folder, { f: 'one\n' });
    await worktree('agent-1a2b3c4d');
    for (const verb of ['diff', 'apply', 'remove']) {
      expect(await runWorktree(stage, verb, '../x'), verb).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('"../x" can\'t be the name of a worktree: use 1 to 64'),
      });
      expect(await runWorktree(stage, verb, 'agent-1a2b3c4e'), verb).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(
          'there is no worktree agent-1a2b3c4e, and no agent of that name with one; did you mean agent-1a2b3c4d?',
        ),
      });
      expect(await runWorktree(stage, verb, 'other'), verb).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('there are: agent-1a2b3c4d'),
      });
    }
    expect(await runWorktree(stage, 'apply')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("missing required argument 'name'"),
    });
    const help = await runWorktree(stage, 'apply', '--help');
    expect(help).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Example:\n  coppice worktree apply agent-1a2b3c4d'),
    });
  });
});
