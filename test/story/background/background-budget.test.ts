/** LC-17: when the budget is used up, running children are stopped one after the other. */

import { expect, it } from 'vitest';
import { readingTool, setStage } from '../../support/story.js';
import { turns, until } from '../../support/until.js';
import { childCall, idOf, noticesIn } from './background-stage.js';

it('LC-17: the youngest first; each has ended, with what it had, before the next is stopped', async () => {
  const names = ['first', 'second', 'third'];
  const order: string[] = [];
  let working = 0;
  const hold = readingTool('Hold', async ({ n = 0 }, signal) => {
    working += 1;
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    order.push(`stopped ${names[n]}`);
    // Long enough for the others to be stopped meanwhile, if they were.
    await turns(20);
    return '';
  });
  const stage = await setStage([
    { when: { user: '<task-notification>' }, reply: 'Heard.' },
    ...names.map((name, n) => ({
      when: { said: `CHILD ${name}` },
      reply: [`So far: ${name}.`, { tool: 'Hold', input: { n } }],
    })),
    ...names.map((name, n) => ({
      when: { nth: n + 1 },
      reply: [childCall({ prompt: `CHILD ${name}`, name, run_in_background: true })],
    })),
    { reply: 'On.' },
  ]);
  const session = await stage.open({
    tools: [hold],
    maxTokens: 120_000,
    onEvent: (watched) => {
      stage.events.push(watched);
      const { agent, event } = watched;
      if (event.kind !== 'agent-state-changed' || event.state !== 'stopped') return;
      order.push(`ended ${names.find((name) => idOf(stage, name) === agent)} by ${event.by}`);
    },
  });
  await session.send('Delegate.');
  await until(() => working === 3, 'all three are running');
  expect((await session.send('word '.repeat(100_000))).reason).toBe('max_tokens');
  await session.settled();
  expect(order).toEqual([...names].reverse().flatMap((name) => [`stopped ${name}`, `ended ${name} by budget`]));
  for (const name of names) {
    const notice = noticesIn(stage.events).find(({ agent }) => agent === idOf(stage, name));
    expect(notice?.text).toContain(`So far: ${name}.`);
  }
});
