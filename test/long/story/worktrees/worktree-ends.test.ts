/** Ends of runs in worktrees that are not the plain one: stopped, interrupted, moved, shared, left in a hurry. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { agentCall, begin, requestsOf, script } from '../../../story/agents/agents-script.js';
import { idOf } from '../../../story/background/background-stage.js';
import { cutAfter } from '../../../story/durability/crash-stage.js';
import { apart, BASH, never, TASK } from '../../../story/worktrees/worktree-ends-stage.js';
import { listedWorktrees, setRepository, worktreeOf } from '../../../story/worktrees/worktree-stage.js';
import { agentTranscript } from '../../../support/session-files.js';
import { eventsOf } from '../../../support/story.js';
import { until } from '../../../support/until.js';

it('WT-8: a child that was interrupted in it keeps the worktree of one that was stopped', async () => {
  const stage = await setRepository(
    script({
      [TASK]: [[agentCall('TASK below', { name: 'below' })], 'Never.'],
      'TASK below': [never],
      main: [[apart({ run_in_background: true, name: 'above' })], 'Waiting.'],
    }),
  );
  const session = await stage.open({ ...BASH, interactive: true });
  await session.send(begin());
  await until(() => requestsOf(stage.sim, 'TASK below').length === 1);
  await session
    .tasks()
    .find(({ id }) => id === idOf(stage, 'above'))
    ?.stop();
  await session.settled();
  expect(listedWorktrees(stage)).toEqual([worktreeOf(stage).path]);
  const below = idOf(stage, 'below');
  const why = eventsOf(stage, 'worktree-settled').flatMap(({ reasons }) => reasons);
  expect(why.join()).toContain(below);
  // Also when it goes on alone, and ends.
  await session.resumeAgent(idOf(stage, 'above'));
  await session.settled();
  expect(eventsOf(stage, 'worktree-settled').at(-1)).toMatchObject({
    run: 2,
    outcome: 'kept',
    reasons: [`agent ${below} was interrupted in it and can go on`],
  });
  expect(listedWorktrees(stage)).toEqual([worktreeOf(stage).path]);
});

it('WT-8, LC-5: on resume, one that had ended does not take the worktree from its parent, which was interrupted', async () => {
  const stage = await setRepository(
    script({
      [TASK]: [[agentCall('TASK below', { name: 'below' })], never],
      'TASK below': ['Below is done.'],
      main: [[apart({ run_in_background: true, name: 'above' })], 'Waiting.'],
    }),
  );
  const session = await stage.open(BASH);
  await session.send(begin());
  await until(() => requestsOf(stage.sim, TASK).length === 2);
  await session.close();
  await cutAfter(agentTranscript(session, idOf(stage, 'below')), 'agent-state-changed');
  stage.events.length = 0;
  const again = await stage.open({ ...BASH, resume: session.id });
  await again.send('and?');
  const [settled] = eventsOf(stage, 'worktree-settled');
  expect(settled).toMatchObject({ outcome: 'in-use' });
  expect(settled?.reasons[0]).toMatch(/^agent [0-9a-f]{17} was interrupted in it and can go on$/);
  expect(listedWorktrees(stage)).toHaveLength(1);
});

it('WT-11, LC-6: a WorktreeRemove hook that hangs does not hold up the end of the session', async () => {
  const stage = await setRepository(
    script({ [TASK]: ['Done.'], main: [[apart({ run_in_background: true })], 'Waiting.'] }),
  );
  const command = `touch "${stage.home}/began"; sleep 600`;
  await stage.settings({ hooks: { WorktreeRemove: [{ hooks: [{ type: 'command', command, timeout: 600 }] }] } });
  const session = await stage.open({ interactive: true });
  await session.send(begin());
  await until(() => existsSync(join(stage.home, 'began')));
  await session.close();
  expect(listedWorktrees(stage)).toEqual([]);
});
