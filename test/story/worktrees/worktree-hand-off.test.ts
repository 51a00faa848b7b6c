/** LC-5: the hand-off check comes before the worktree is settled, so that it can still look into it. */

import { expect, it } from 'vitest';
import { agentCall, begin, script } from '../agents/agents-script.js';
import { noticesIn } from '../background/background-stage.js';
import { listedWorktrees, setRepository } from './worktree-stage.js';

it('LC-5: the check reads the worktree that is removed afterwards, and its warning is in the same notice', async () => {
  const task = 'TASK alpha';
  const call = agentCall(task, { isolation: 'worktree', run_in_background: true });
  const stage = await setRepository(script({ [task]: ['Looked.'], main: [[call], 'Waiting.'] }));
  await stage.settings({ handoffCheck: `cat "$(sed 's/.*"cwd":"\\([^"]*\\)".*/\\1/')/a.txt"` });
  const session = await stage.open();
  await session.send(begin());
  await session.settled();
  const [notice] = noticesIn(stage.events);
  expect(notice?.text).toContain('<result>[Hand-off check: one]\nLooked.</result>');
  expect(notice?.text).toContain('<worktree removed="nothing was changed in it"/>');
  expect(listedWorktrees(stage)).toEqual([]);
});
