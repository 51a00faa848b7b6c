/** Typing before the session is open: all of it arrives (TU-18). */

import { expect, test } from 'vitest';
import { runProgram } from '../../../support/program.js';
import { count, setTerminalStage } from '../terminal-stage.js';

test('TU-18: text submitted while the session opens is sent, in order; a draft stays in the editor', async () => {
  const stage = await setTerminalStage([
    { when: { user: /one \d+/ }, reply: 'ANSWER' },
    { when: { user: 'before' }, reply: 'EARLIER WORDS' },
  ]);
  expect((await runProgram(['-p', 'before'], stage.at)).code).toBe(0);
  // One after another at every moment of the start, also between the greeting and the first prompt.
  const terminal = stage.open(['--continue']);
  let sent = 0;
  while (!terminal.lines().some((line) => line.includes('ANSWER')) && sent < 200) {
    sent += 1;
    terminal.type(`one ${sent}\r`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  terminal.type('a draft');
  await terminal.untilSeen('> a draft');
  await terminal.untilGone('esc interrupts');
  const all = () => JSON.stringify(stage.sim.requests.at(-1)?.body.messages);
  await terminal.until(() => all().includes(`one ${sent}"`) || all().includes(`one ${sent}\\n`), 'the last prompt');
  const numbers = Array.from({ length: sent }, (_, at) => `one ${at + 1}`);
  const found = all().match(/one \d+/g) ?? [];
  expect([...new Set(found)]).toEqual(numbers);
  expect(count(terminal.rows(), '> a draft')).toBe(1);
});
