/** The screen with the real program under stress: nothing is lost, doubled or cleared, whatever the window does (TU-1, TU-32). */

import { expect, test } from 'vitest';
import type { Rule } from '../../../../src/sim/index.js';
import { agentCall } from '../../../support/agent-call.js';
import { count, expectEarlierLines, setTerminalStage, type TestTerminal } from '../terminal-stage.js';
import { idsIn, longReply, SCRIPTS } from './long-reply.js';

const REPLY = longReply(400);
const AGENTS = ['👩‍👩‍👧 family', '你好 worker', 'cafe\u0301 nai\u0308ve', 'שלום'];

/** Agents that tick in the background while the main agent writes. */
function streaming(eventMs = 8): Rule[] {
  return [
    { when: { said: 'CHILD' }, reply: 'never', delay: { firstMs: 600_000 } },
    {
      when: { user: 'go' },
      reply: AGENTS.map((description) => agentCall('CHILD: tick', { description, run_in_background: true })),
    },
    { when: { result: { tool: 'Agent' } }, reply: REPLY, delay: { eventMs } },
    { when: { user: 'again' }, reply: 'AGAIN-REPLY' },
  ];
}

async function begin(terminal: TestTerminal): Promise<void> {
  await terminal.until('? keys');
  terminal.type(`go ${SCRIPTS[0]}`);
  await terminal.untilSeen('a tone');
  terminal.press('enter');
  await terminal.until('M0010');
}

/** Every line once, in order; the shell's lines as they were; nothing was cleared. */
function expectWhole(terminal: TestTerminal, isLive = true): void {
  const lines = terminal.lines();
  expect(idsIn(lines.join('\n'))).toEqual(idsIn(REPLY));
  expectEarlierLines(lines);
  expect(count(lines, 'THE END')).toBe(1);
  expect(count(lines, 'Coppice 0.')).toBe(1);
  // One live area: one row of the status line, one head of the tree.
  const rows = isLive ? 1 : expect.any(Number);
  expect(lines.filter((line) => line.endsWith('? keys') && !line.includes('Coppice')).length).toEqual(rows);
  expect(lines.filter((line) => /^agents \d/.test(line)).length).toEqual(rows);
  for (const cleared of ['\u001b[2J', '\u001b[3J', '\u001bc']) expect(terminal.raw()).not.toContain(cleared);
}

/** The cursor stands behind what is typed in the editor. */
async function expectCaret(terminal: TestTerminal, typed: string, columns: number): Promise<void> {
  await terminal.untilSeen(`> ${typed}`);
  await terminal.until(() => {
    const { row, column } = terminal.cursor;
    return terminal.rows()[row] === `> ${typed}` && column === columns;
  }, `the cursor behind ${typed}`);
}

for (const widths of ['unicode11', 'graphemes'] as const) {
  test(`TU-1, TU-32: a reply of 400 lines while agents tick and the window is dragged through 70 widths (${widths})`, async () => {
    const stage = await setTerminalStage(streaming());
    const terminal = stage.open(['--permission-mode', 'acceptEdits'], { widths });
    await begin(terminal);
    terminal.type('draft 你好');
    for (let step = 0; step < 35; step += 1) await drag(terminal, 98 - step, 30);
    for (let step = 0; step < 35; step += 1) await drag(terminal, 66 + step * 2, 30);
    for (const rows of [24, 18, 12, 16, 30, 36]) await drag(terminal, 120, rows);
    await terminal.until('THE END');
    await expectCaret(terminal, 'draft 你好', 12);
    expectWhole(terminal);
  });

  test(`TU-32: one step to 40 columns, to 200, and to 10 rows (${widths})`, async () => {
    const stage = await setTerminalStage(streaming());
    const terminal = stage.open(['--permission-mode', 'acceptEdits'], { widths });
    await begin(terminal);
    terminal.resize(40, 30);
    await terminal.until('M0100');
    terminal.resize(200, 40);
    await terminal.until('M0200');
    terminal.resize(80, 20);
    await terminal.until('M0250');
    terminal.resize(80, 10);
    await terminal.until('M0300');
    // At most rows - 1: a line of the history stays in sight.
    await terminal.untilSeen(/M0\d{3}/);
    terminal.resize(100, 30);
    await terminal.until('THE END');
    terminal.type('x');
    await expectCaret(terminal, 'x', 3);
    expectWhole(terminal);
  });
}

/** As a hand does it: a step every few frames. */
async function drag(terminal: TestTerminal, columns: number, rows: number): Promise<void> {
  terminal.resize(columns, rows);
  await new Promise((resolve) => setTimeout(resolve, 30));
}

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
  expectWhole(terminal);
  terminal.type('again\r');
  await terminal.until('AGAIN-REPLY');
  expectWhole(terminal);
});

test('TU-1, TU-32: the program ends while a page is open: nothing of the history is lost', async () => {
  const stage = await setTerminalStage(streaming());
  const terminal = stage.open(['--permission-mode', 'acceptEdits']);
  await begin(terminal);
  terminal.press('ctrl+o');
  await terminal.until(() => terminal.isPage, 'the page');
  await terminal.untilSeen('THE END');
  terminal.process.kill('SIGTERM');
  expect(await terminal.ended).toBe(143);
  expect(terminal.isPage).toBe(false);
  expectWhole(terminal, false);
});

test('TU-32: the window is half as high, suddenly, in the middle of a long paragraph: nothing of it is there twice', async () => {
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
