/** The screen with the real program under stress: nothing is lost, doubled or cleared, whatever the window does (TU-1, TU-32). */

import { expect, test } from 'vitest';
import { idsIn } from '../../../program/tui/screen/long-reply.js';
import { begin, expectWhole, streaming } from '../../../program/tui/screen/streaming-stage.js';
import { expectEarlierLines, setTerminalStage } from '../../../program/tui/terminal-stage.js';

test('TU-1: a page is open while it streams: the history waits, and is whole when the page closes', async () => {
  const stage = await setTerminalStage(streaming());
  const terminal = stage.open(['--permission-mode', 'acceptEdits']);
  await begin(terminal);
  terminal.press('ctrl+o');
  await terminal.until(() => terminal.isPage, 'the page');
  terminal.resize(90, 26);
  // The page shows the same conversation, live, down to its end.
  await terminal.untilSeen('THE END');
  expect(terminal.isPage).toBe(true);
  terminal.resize(110, 28);
  terminal.press('esc');
  await terminal.until(() => !terminal.isPage, 'the page closed');
  await terminal.until('THE END');
  await expectWhole(terminal);
  terminal.type('again\r');
  await terminal.until('AGAIN-REPLY');
  await expectWhole(terminal);
});

test('TU-1, TU-32: the program ends while a page is open: no history is lost', async () => {
  const stage = await setTerminalStage(streaming());
  const terminal = stage.open(['--permission-mode', 'acceptEdits']);
  await begin(terminal);
  terminal.press('ctrl+o');
  await terminal.until(() => terminal.isPage, 'the page');
  await terminal.untilSeen('THE END');
  terminal.process.kill('SIGTERM');
  expect(await terminal.ended).toBe(143);
  expect(terminal.isPage).toBe(false);
  await expectWhole(terminal, false);
});

test('TU-32: the window is suddenly half as high, in the middle of a long paragraph: nothing appears twice', async () => {
  const words = Array.from({ length: 60 }, (_, at) => `M${String(at + 1).padStart(4, '0')} and some more words of it`);
  const stage = await setTerminalStage([
    { when: { user: 'go' }, reply: `${words.join(' ')}\n\nTHE END`, delay: { eventMs: 60 } },
  ]);
  const terminal = stage.open();
  await terminal.until('? keys');
  terminal.type('go\r');
  await terminal.until('M0040');
  terminal.resize(100, 15);
  await terminal.until('M0050');
  terminal.resize(60, 15);
  await terminal.until('THE END');
  await terminal.untilGone('esc interrupts');
  expect(idsIn(terminal.lines().join('\n'))).toEqual(idsIn(words.join(' ')));
  expectEarlierLines(terminal.lines());
});
