/** Children in worktrees and the gate: they commit without a question, and can't change what they came from. */

import { existsSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SANDBOX_WORKS } from '../../program/gate/sandbox/stage.js';
import { begin, requestOf, resultsIn, script } from '../agents/agents-script.js';
import { bash, denying, fork, write } from './worktree-gate-stage.js';
import { branchesOf, setRepository, worktreeOf } from './worktree-stage.js';

describe.each(SANDBOX_WORKS ? ['off', 'required'] : ['off'])('sandbox %s', (sandbox) => {
  it('GT-22: a fork of a session in default mode commits without a question too, with the hooks of the repository off', async () => {
    const stage = await setRepository(
      script({
        'DIRECTIVE 1': [[bash('git commit --allow-empty -qm mine && git log -1 --format=%s')], 'Scope: 1'],
        main: ['hello', [fork(1)], 'end'],
      }),
    );
    await stage.settings({ sandbox });
    const mark = join(stage.home, 'hook-ran');
    await writeFile(join(stage.folder, '.git/hooks/pre-commit'), `#!/bin/sh\ntouch ${mark}\nexit 1\n`, { mode: 0o755 });
    const { questions, onPermission } = denying();
    const session = await stage.open({ fork: 'on', trust: true, onPermission });
    await session.send(begin());
    await session.send('now');
    expect(questions).toEqual([]);
    expect(resultsIn(requestOf(stage.sim, 'DIRECTIVE 1', 2))[0]?.text).toContain('mine');
    expect(existsSync(mark)).toBe(false);
  });
});

it('WT-4: writes to the checkout it came from are asked about in spite of any rules, and the question names which worktree asks', async () => {
  const stage = await setRepository([]);
  const from = stage.folder;
  await symlink(from, join(from, 'out'));
  stage.git(['add', 'out']);
  stage.git(['commit', '-qm', 'a link to itself']);
  const calls = [
    [write(join(from, 'a.txt'), 'x')],
    [write('out/a.txt', 'x')],
    [bash('echo x > out/a.txt')],
    [bash(`echo x > ${from}/a.txt`)],
    [bash(`cd ${from} && git commit --allow-empty -m x`)],
    [bash(`git -C ${from} commit --allow-empty -m x`)],
    [bash('git -C ../../.. commit --allow-empty -m x')],
    [bash(`git --git-dir=${from}/.git --work-tree=${from} add .`)],
    [bash(`GIT_DIR=${from}/.git git commit --allow-empty -m x`)],
    [bash(`bash -c 'cd ${from} && touch made'`)],
  ];
  stage.sim.use(script({ 'DIRECTIVE 1': [...calls, 'Scope: 1'], main: ['hello', [fork(1)], 'end'] }));
  const { questions, onPermission } = denying();
  const session = await stage.open({
    fork: 'on',
    trust: true,
    permissionMode: 'acceptEdits',
    allowedTools: ['Bash', 'Edit', 'Write'],
    onPermission,
  });
  await session.send(begin());
  const state = () => [stage.git(['rev-parse', 'HEAD']), stage.git(['status', '--short'])];
  const before = state();
  await session.send('now');
  expect(questions.map(({ call }) => call.input)).toEqual(calls.map(([call]) => call?.input));
  const { name, path, branch } = worktreeOf(stage);
  expect(questions.map(({ agent }) => agent.worktree)).toEqual(calls.map(() => ({ name, path, branch })));
  expect(questions.flatMap(({ offers }) => offers)).toEqual([]);
  expect(state()).toEqual(before);
  // It changed nothing, so nothing of it is left.
  expect(branchesOf(stage)).toEqual(['main']);
});
