/** The screen with the real program under stress: nothing is lost, doubled or cleared, whatever the window does (TU-1, TU-32). */

import { test } from 'vitest';
import { begin, expectWhole, streaming } from '../../../program/tui/screen/streaming-stage.js';
import { setTerminalStage, type TestTerminal } from '../../../program/tui/terminal-stage.js';

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
    await expectWhole(terminal);
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
    await expectWhole(terminal);
  });
}

/** The cursor is after the text in the editor. */
async function expectCaret(terminal: TestTerminal, typed: string, columns: number): Promise<void> {
  await terminal.untilSeen(`> ${typed}`);
  await terminal.until(() => {
    const { row, column } = terminal.cursor;
    return terminal.rows()[row] === `> ${typed}` && column === columns;
  }, `the cursor behind ${typed}`);
}

/** As a hand does it: a step every few frames. */
async function drag(terminal: TestTerminal, columns: number, rows: number): Promise<void> {
  terminal.resize(columns, rows);
  await new Promise((resolve) => setTimeout(resolve, 30));
}
