/** A repository made to attack whoever opens it, opened by the real program without trust. Each planted program leaves a mark. */

import { execFileSync } from 'node:child_process';
import { readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { mainResults, script } from '../../../story/agents/agents-script.js';
import { bash, expectUntouched, GIT_READS, open, plant, write } from '../../../story/gate/hostile/hostile-stage.js';
import { buildProgram, runProgram } from '../../../support/program.js';

beforeAll(buildProgram);

describe('a hostile repository, untrusted, headless', () => {
  it('GT-2: not even with a rule that allows every command or every git command', async () => {
    const hostile = await plant();
    hostile.sim.use(script({ main: [GIT_READS.map(bash), 'done'] }));
    await open(hostile, '--allowedTools', 'Bash', 'Bash(git:*)');
    await expectUntouched(hostile);
  });

  it('GT-7: nothing is written through its links, also where edits go through; GT-13: the denials are in the result', async () => {
    const hostile = await plant();
    const names = [
      '.claude/settings.local.json',
      '.claude/agent-memory/x.md',
      '.claude/worktrees/x',
      '.coppice/x',
      'CLAUDE.local.md',
    ];
    const calls = [
      ...names.map((name) => write(join(hostile.folder, name))),
      bash('echo x > .coppice/y'),
      write(join(hostile.folder, 'fine.txt')),
    ];
    hostile.sim.use(script({ main: [calls, 'done'] }));
    const { result } = await open(hostile, '--permission-mode', 'acceptEdits');
    await expectUntouched(hostile);
    expect(mainResults(hostile).map(({ isError }) => isError)).toEqual([true, true, true, true, true, true, false]);
    expect(result.permission_denials).toHaveLength(6);
    expect(await hostile.read('fine.txt')).toBe('pwned');
  });

  it('GT-2: .claude as a link to outside: nothing of it acts, nothing is written there', async () => {
    const hostile = await plant();
    const lure = join(hostile.home, 'lure');
    execFileSync('mv', [join(hostile.folder, '.claude'), lure]);
    await symlink(lure, join(hostile.folder, '.claude'));
    const before = await readdir(lure, { recursive: true });
    hostile.sim.use(script({ main: [[write(join(hostile.folder, '.claude', 'x.md')), bash('git status')], 'done'] }));
    const { end } = await open(hostile, '--permission-mode', 'acceptEdits');
    expect(end.code, end.stderr).toBe(0);
    await expectUntouched(hostile);
    expect(await readdir(lure, { recursive: true })).toEqual(before);
  });

  it('GT-2: coppice config, doctor and permissions test run none of it either', async () => {
    const hostile = await plant();
    const at = { cwd: hostile.folder, env: hostile.env };
    for (const args of [['config'], ['doctor'], ['permissions', 'test', 'git status'], ['sessions', 'list']])
      await runProgram(args, at);
    await expectUntouched(hostile);
  });
});
