/** Typing under questions at the terminal: none is answered, and no character is lost (TU-15). */

import { expect, it } from 'vitest';
import { setTerminalStage } from '../terminal-stage.js';
import { fork, openReady, send } from './tree-steps.js';

const COUNT = 50;
const CALLS = Array.from({ length: COUNT }, (_, at) => ({
  tool: 'Agent',
  input: { prompt: `PART-${at}.`, name: `kid-${at}`, subagent_type: 'fork', run_in_background: true },
}));

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

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
}, 90_000);

it('TU-15, TU-8: in the tree, in a menu and in a search keys are for these, however long the pause; Tab in the tree turns to the question', async () => {
  const stage = await setTerminalStage([
    { when: { user: 'task-notification' }, reply: 'heard of it' },
    { when: { said: 'ASK-PART', result: { tool: 'Bash' } }, reply: 'it is made' },
    { when: { said: 'ASK-PART' }, reply: [{ tool: 'Bash', input: { command: 'touch made' } }] },
    { when: { result: { tool: 'Agent' } }, reply: 'it is at work' },
    { when: { user: 'begin' }, reply: [fork('ASK-PART', { name: 'kid' })] },
  ]);
  const terminal = await openReady(stage);
  send(terminal, 'begin');
  await terminal.until('it is at work');
  await terminal.untilSeen('›1 once');
  terminal.press('ctrl+r');
  await terminal.untilSeen('tab here');
  await wait(1_000);
  terminal.type('y');
  await wait(1_000);
  terminal.press('enter');
  await terminal.untilGone('tab here');
  await terminal.untilSeen('1 once');
  // Esc is the tree's, too.
  terminal.press('ctrl+t');
  await terminal.untilSeen(/^›.*kid/m);
  terminal.press('esc');
  await terminal.untilGone(/^›.*kid/m);
  await terminal.untilSeen('1 once');
  terminal.press('ctrl+t');
  await terminal.untilSeen('tab here');
  await wait(1_000);
  terminal.press('enter');
  // Not answered, but opened.
  await terminal.untilSeen('t take over');
  terminal.press('esc');
  await terminal.untilGone('1 once');
  terminal.press('esc');
  await terminal.untilSeen(/^›.*kid/m);
  terminal.press('tab');
  await terminal.untilSeen('1 once');
  await terminal.untilGone('tab here');
  expect(stage.sim.requests.length).toBe(3);
  await wait(1_000);
  terminal.press('y');
  await terminal.untilSeen(/✓ kid/);
}, 60_000);
