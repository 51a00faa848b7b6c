/** Hooks and worktrees: those that make and remove them, and where hooks of an agent in one run. */

import { expect, it } from 'vitest';
import { begin, mainResults, requestOf, requestsOf, resultsIn, script } from '../../../story/agents/agents-script.js';
import { apart, bash, places, run, scriptStage, TASK } from '../../../story/worktrees/worktree-hooks-stage.js';
import { listedWorktrees, setRepository } from '../../../story/worktrees/worktree-stage.js';
import { eventsOf } from '../../../support/story.js';

it.each([
  ['fails', 'echo "no room left" >&2; exit 1', 'no room left'],
  ['blocks', 'echo "not on Sundays" >&2; exit 2', 'not on Sundays'],
  ['prints nothing', 'true', 'printed no path'],
  ['prints a relative path', 'echo some/where', 'is not absolute'],
  ['prints a path that is not there', 'echo /not/there', 'is not a folder that exists'],
  ['prints the parent’s checkout', 'pwd', 'the checkout it is to be apart from'],
  ['prints a folder around it', 'dirname "$PWD"', 'the checkout it is to be apart from'],
  ['prints a folder in it', 'mkdir -p in; echo "$PWD/in"', 'is a part of the checkout'],
  ['prints a folder of git', 'echo "$PWD/.git/objects"', 'is inside a .git folder'],
])('WT-11: a hook that %s: nothing is started, and its words are in the reason', async (_, command, words) => {
  const stage = await setRepository(script({ [TASK]: ['?'], main: [[apart({ name: 'al' })], 'End.'] }));
  await stage.settings({ hooks: { WorktreeCreate: run(command) } });
  await (await stage.open()).send(begin());
  const [result] = mainResults(stage);
  expect(result).toMatchObject({ isError: true });
  expect(result?.text).toMatch(/^Nothing was started: the WorktreeCreate hook did not make a worktree: /);
  expect(result?.text).toContain(words);
  expect(requestsOf(stage.sim, TASK)).toEqual([]);
  expect(eventsOf(stage, 'agent-spawned')).toEqual([]);
  expect(listedWorktrees(stage)).toEqual([]);
});

it('GT-3, GT-14: a hook’s script that is not there, because it is not committed, runs in the project', async () => {
  const stage = await scriptStage(false, [[bash('echo one')], 'Done.']);
  expect(await places(stage.home)).toEqual([stage.folder]);
});

it('GT-3: a script that the agent changed in its worktree is not what was approved: it counts as not started', async () => {
  const change = 'echo "exit 0" > hooks/look.sh';
  const stage = await scriptStage(true, [[bash(change)], [bash('echo two')], 'Done.']);
  expect(await places(stage.home)).toHaveLength(1);
  const [second] = resultsIn(requestOf(stage.sim, TASK, 3));
  expect(second).toMatchObject({ isError: true, text: expect.stringContaining('differs from what was approved') });
});
