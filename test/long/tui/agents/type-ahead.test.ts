/** Typing under questions at the terminal: none is answered, and no character is lost (TU-15). */

import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openReady, send } from '../../../program/tui/agents/tree-steps.js';
import { setTerminalStage } from '../../../program/tui/terminal-stage.js';

const COUNT = 50;

const CALLS = Array.from({ length: COUNT }, (_, at) => ({
  tool: 'Agent',
  input: { prompt: `PART-${at}.`, name: `kid-${at}`, subagent_type: 'fork', run_in_background: true },
}));

it('TU-15: 10 keys a second, and words after a pause, under 50 questions: no answer, and every character stays', async () => {
  const stage = await setTerminalStage([
    {
      when: { user: { matches: 'PART-(?<at>\\d+)\\.' }, not: { user: 'task-notification' } },
      reply: [{ tool: 'Bash', input: { command: 'touch made-{{at}}' } }],
    },
    { when: { result: { tool: 'Agent' } }, reply: 'they are at work' },
    { when: { user: 'begin' }, reply: CALLS },
    { reply: 'heard' },
  ]);
  await stage.settings({ maxConcurrentAgents: COUNT });
  const terminal = await openReady(stage);
  send(terminal, 'begin');
  await terminal.untilSeen('1 once');
  await terminal.until('they are at work');
  await terminal.untilSeen(`${COUNT} ask`);
  const words = 'yes 1 2 all y1 no 3 say a lazy l';
  for (const key of words) {
    terminal.type(key);
    await wait(100);
  }
  let typed = words;
  for (const word of ['1yes', 'y1', 'all', '2a', 'no']) {
    await wait(1_200);
    for (const key of word) {
      terminal.type(key);
      await wait(100);
    }
    typed += word;
  }
  await terminal.untilSeen(`> ${typed}`);
  await wait(400);
  expect(stage.sim.requests.filter(({ results }) => results.some(({ tool }) => tool === 'Bash'))).toEqual([]);
  await terminal.untilSeen(`${COUNT} ask`);
});
