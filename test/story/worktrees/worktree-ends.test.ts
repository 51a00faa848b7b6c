/** Ends of runs in worktrees that are not the plain one: stopped, interrupted, moved, shared, left in a hurry. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { gate, onceOpen } from '../../support/gate.js';
import { agentTranscript } from '../../support/session-files.js';
import { eventsOf } from '../../support/story.js';
import { until } from '../../support/until.js';
import { agentCall, begin, mainResults, requestsOf, script } from '../agents/agents-script.js';
import { callResults, idOf, noticesIn } from '../background/background-stage.js';
import { cutAfter } from '../durability/crash-stage.js';
import { listedWorktrees, setRepository, worktreeOf } from './worktree-stage.js';

const TASK = 'TASK alpha';
const apart = (more: object = {}) => agentCall(TASK, { isolation: 'worktree', description: 'a part', ...more });
const bash = (command: string) => ({ tool: 'Bash', input: { command } });
const BASH = { allowedTools: ['Bash'] };
const never = () => new Promise<string>(() => {});

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
