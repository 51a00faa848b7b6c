/** A named child in a worktree: where it works, what it is told, what its parent hears. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  agentCall,
  agentFile,
  begin,
  inProject,
  mainResults,
  requestOf,
  resultsIn,
  saidIn,
  script,
} from '../../../story/agents/agents-script.js';
import { branchesOf, setRepository, worktreeOf } from '../../../story/worktrees/worktree-stage.js';
import { eventsOf } from '../../../support/story.js';

const TASK = 'TASK alpha';

const isolated = (prompt = TASK, more: object = {}) => agentCall(prompt, { isolation: 'worktree', ...more });

const bash = (command: string) => ({ tool: 'Bash', input: { command } });

it('WT-2: more than worktree.maxOverlayBytes of them: nothing is started, and the model reads why', async () => {
  const stage = await setRepository(script({ main: [[isolated(TASK, { name: 'al' })], 'Done.'], [TASK]: ['?'] }));
  await stage.settings({ worktree: { includeDirty: true, maxOverlayBytes: 10 } });
  await writeFile(join(stage.folder, 'a.txt'), 'more than ten bytes\n');
  const session = await stage.open();
  await session.send(begin());
  const [result] = mainResults(stage);
  expect(result).toMatchObject({ isError: true, text: expect.stringContaining('worktree.maxOverlayBytes') });
  expect(result?.text).toMatch(/^Nothing was started: /);
  expect(eventsOf(stage, 'agent-spawned')).toEqual([]);
  expect(branchesOf(stage)).toEqual(['main']);
});

it('WT-3: worktree.symlinkDirectories are linked; that is no change', async () => {
  const stage = await setRepository(
    script({ main: [[isolated()], 'Done.'], [TASK]: [[bash('readlink deps; cat deps/one')], 'Seen.'] }),
    { '.gitignore': 'deps\n', 'a.txt': 'a' },
  );
  await stage.write('deps/one', 'linked');
  await stage.settings({ worktree: { symlinkDirectories: ['deps'] } });
  await (await stage.open({ allowedTools: ['Bash'] })).send(begin());
  expect(resultsIn(requestOf(stage.sim, TASK, 2))[0]?.text).toMatch(/deps\nlinked$/);
  expect(eventsOf(stage, 'worktree-settled').map(({ outcome }) => outcome)).toEqual(['removed']);
  expect(await stage.read('deps/one')).toBe('linked');
});

it('AG-19: a one-shot agent with a worktree gives its path and branch', async () => {
  const stage = await setRepository(
    script({ main: [[isolated(TASK, { subagent_type: 'once' })], 'ok'], [TASK]: [[bash('touch new')], 'Once.'] }),
  );
  await stage.write(inProject('once'), agentFile({ name: 'once', description: 'd', oneShot: true }, 'Work.'));
  await (await stage.open({ trust: true, allowedTools: ['Bash'] })).send(begin());
  const { path, branch } = worktreeOf(stage);
  expect(mainResults(stage)[0]?.text).toContain(`worktree: ${path} (branch ${branch}), kept: untracked: new\n`);
});

it('WT-4: it can commit, also where git does not know who the person is', async () => {
  const stage = await setRepository(
    script({
      main: [[isolated()], 'Done.'],
      [TASK]: [
        [bash('touch new; git add new; git commit -q -m theirs && git log -1 --format="%an %ae %cn %ce"')],
        'ok',
      ],
    }),
  );
  await writeFile(join(stage.home, '.gitconfig'), '[user]\n\tuseConfigOnly = true\n');
  await (await stage.open({ allowedTools: ['Bash'] })).send(begin());
  expect(resultsIn(requestOf(stage.sim, TASK, 2))[0]?.text).toContain(
    'Coppice coppice@localhost Coppice coppice@localhost',
  );
});

it('GT-4, AG-15: a rule that keeps an instruction file from agents, by its place in the project, counts for its copy in a worktree', async () => {
  const stage = await setRepository(script({ main: [[isolated()], 'Done.'], [TASK]: ['Done.'] }), {
    'CLAUDE.md': 'OPEN WORDS\n',
    'AGENTS.md': 'x',
    'CLAUDE.local.md': 'CLOSED WORDS\n',
  });
  await stage.settings({ permissions: { deny: [`Read(/${stage.folder}/CLAUDE.local.md)`] } });
  await (await stage.open()).send(begin());
  const said = saidIn(requestOf(stage.sim, TASK));
  expect(said).toContain('OPEN WORDS');
  expect(said).not.toContain('CLOSED WORDS');
});
