/** Typing under questions at the terminal: none is answered, and no character is lost (TU-15). */

import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { setTerminalStage } from '../terminal-stage.js';
import { fork, openReady, send } from './tree-steps.js';

it('TU-15, TU-8: in the tree, a menu or a search, keys stay there, however long the pause; Tab in the tree leads to the question', async () => {
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
  await terminal.untilSeen('tab focus');
  await wait(1_000);
  terminal.type('y');
  await wait(1_000);
  terminal.press('enter');
  await terminal.untilGone('tab focus');
  await terminal.untilSeen('1 once');
  // Esc belongs to the tree, too.
  terminal.press('ctrl+t');
  await terminal.untilSeen(/^›.*kid/m);
  terminal.press('esc');
  await terminal.untilGone(/^›.*kid/m);
  await terminal.untilSeen('1 once');
  terminal.press('ctrl+t');
  await terminal.untilSeen('tab focus');
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
  await terminal.untilGone('tab focus');
  expect(stage.sim.requests.length).toBe(3);
  await wait(1_000);
  terminal.press('y');
  await terminal.untilSeen(/✓ kid/);
});
