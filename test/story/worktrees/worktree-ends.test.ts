/** Ends of runs in worktrees that are not the plain one: stopped, interrupted, moved, shared, left in a hurry. */

import { expect, it } from 'vitest';
import { gate, onceOpen } from '../../support/gate.js';
import { eventsOf } from '../../support/story.js';
import { until } from '../../support/until.js';
import { begin, mainResults, requestsOf, script } from '../agents/agents-script.js';
import { callResults, noticesIn } from '../background/background-stage.js';
import { apart, BASH, never, TASK } from './worktree-ends-stage.js';
import { listedWorktrees, setRepository, worktreeOf } from './worktree-stage.js';

const bash = (command: string) => ({ tool: 'Bash', input: { command } });

it.each([
  ['with work', 'touch mine', 'why="kept: untracked: mine"', 1],
  ['without', 'true', 'removed="nothing was changed in it"', 0],
])('WT-7, LC-14: one that is stopped is settled as any other (%s)', async (_, command, words, left) => {
  const stage = await setRepository(
    script({ [TASK]: [[bash(command)], never], main: [[apart({ run_in_background: true })], 'Waiting.'] }),
  );
  const session = await stage.open({ ...BASH, interactive: true });
  await session.send(begin());
  await until(() => requestsOf(stage.sim, TASK).length === 2);
  await session.tasks()[0]?.stop();
  await session.settled();
  expect(noticesIn(stage.events)[0]?.text).toContain(words);
  expect(listedWorktrees(stage)).toHaveLength(left);
  await session.close();
});

it('LC-2, WT-7: an interrupted call keeps the worktree, changed or not; a message brings the agent back into it', async () => {
  const stage = await setRepository(
    script({
      [TASK]: [never, [bash('pwd')], 'Here again.'],
      main: [[apart({ name: 'al' })], [{ tool: 'SendMessage', input: { to: 'al', message: 'go on' } }], 'End.'],
    }),
  );
  const session = await stage.open({ ...BASH, interactive: true });
  const sent = session.send(begin());
  await until(() => requestsOf(stage.sim, TASK).length === 1);
  session.interrupt();
  await sent;
  const { path } = worktreeOf(stage);
  expect(listedWorktrees(stage)).toEqual([path]);
  expect(eventsOf(stage, 'worktree-settled')).toEqual([]);
  expect(callResults(stage, 'Agent')[0]).toContain(`worktree: ${path}`);
  await session.send('continue it');
  await session.settled();
  expect(callResults(stage, 'Bash')).toEqual([path]);
  expect(eventsOf(stage, 'worktree-settled').map(({ outcome }) => outcome)).toEqual(['removed']);
});

it('LC-3, LC-5: moved to the background, its end is settled before the notice', async () => {
  const held = gate();
  const stage = await setRepository(
    script({ [TASK]: [onceOpen(held, 'Done.')], main: [[apart()], 'Waiting.', 'Heard.'] }),
  );
  const session = await stage.open({ interactive: true });
  const sent = session.send(begin());
  await until(() => requestsOf(stage.sim, TASK).length === 1);
  await session.execute({ type: 'to-background' });
  await sent;
  expect(mainResults(stage)[0]?.text).toContain(`worktree: ${worktreeOf(stage).path}`);
  held.open();
  await session.settled();
  expect(noticesIn(stage.events)[0]?.text).toContain('<worktree removed=');
  const order = stage.events.map(({ event }) => event.kind);
  expect(order.lastIndexOf('worktree-settled')).toBeLessThan(order.lastIndexOf('notice-queued'));
});
