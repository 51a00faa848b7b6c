/** Little room: the live area stays within the window, the cursor in sight, and nothing is lost (TU-1, TU-19). */

import { expect, test } from 'vitest';
import { agentCall } from '../../../support/agent-call.js';
import { count, expectEarlierLines, setTerminalStage, type TestTerminal } from '../terminal-stage.js';
import { idsIn, longReply } from './long-reply.js';

/** The text left of the cursor in its row. */
function beforeCursor(terminal: TestTerminal): string {
  const { active } = terminal.terminal.buffer;
  return active.getLine(active.baseY + active.cursorY)?.translateToString(false, 0, active.cursorX) ?? '';
}

test('TU-1: at most rows - 1: a draft of many lines, agents and a question leave a line of the history in sight', async () => {
  const children = Array.from({ length: 6 }, (_, at) =>
    agentCall(`CHILD ${at}`, { description: `task ${at}`, run_in_background: true }),
  );
  const stage = await setTerminalStage([
    { when: { said: 'CHILD' }, reply: 'never', delay: { firstMs: 600_000 } },
    { when: { user: 'go' }, reply: children },
    {
      when: { result: { tool: 'Agent' } },
      reply: ['Now.', { tool: 'Bash', input: { command: `make ${'a '.repeat(200)}` } }],
    },
  ]);
  const terminal = stage.open(['--permission-mode', 'acceptEdits'], { columns: 80, rows: 24 });
  await terminal.until('? keys');
  terminal.type('go\r');
  await terminal.untilSeen('The main agent asks');
  terminal.type('first');
  for (let line = 0; line < 15; line += 1) {
    terminal.press('ctrl+j');
    terminal.type(`line ${line}`);
  }
  await terminal.untilSeen('line 14');
  for (const rows of [16, 10, 6, 24]) {
    terminal.resize(80, rows);
    await terminal.until(() => beforeCursor(terminal).endsWith('line 14'), `the caret in ${rows} rows`);
    // One row is not part of the live area: the history's last, or an empty one below.
    await terminal.until(() => {
      const seen = terminal.rows();
      return seen.at(-1) === '' || /EARLIER|Coppice|> go|Agent|Now\.|^$/.test(seen[0] ?? '-');
    }, 'a row beside the live area');
  }
  terminal.resize(20, 5);
  await terminal.until(() => beforeCursor(terminal).endsWith('line 14'), 'the caret in 20 columns');
  terminal.resize(80, 24);
  await terminal.untilSeen('The main agent asks');
  expectEarlierLines(terminal.lines());
  expect(count(terminal.lines(), '● Now.')).toBe(1);
  expect(terminal.raw()).not.toMatch(/\[[23]J/);
});

for (const widths of ['unicode11', 'graphemes'] as const) {
  test(`TU-19: the cursor stands at the caret after joined, wide and combined characters (${widths})`, async () => {
    const stage = await setTerminalStage([]);
    const terminal = stage.open([], { widths });
    await terminal.until('? keys');
    const typed = 'a👩‍👩‍👧‍👦b你c🇩🇪d👍🏽ecafe\u0301f❤️g';
    terminal.type(typed);
    await terminal.until(() => beforeCursor(terminal).endsWith('g'), 'the caret at the end');
    expect(beforeCursor(terminal).startsWith('> a')).toBe(true);
    // Back over it by graphemes: the letter left of the cursor shows its position.
    for (const [steps, left] of [
      [2, 'f'],
      [2, 'c'],
    ] as const) {
      for (let step = 0; step < steps; step += 1) terminal.press('left');
      if (left === 'f') await terminal.until(() => beforeCursor(terminal).endsWith('f'), 'the caret behind f');
    }
    terminal.press('home', 'right');
    await terminal.until(() => beforeCursor(terminal) === '> a', 'the caret behind a');
    terminal.press('right', 'right');
    await terminal.until(() => beforeCursor(terminal).endsWith('b'), 'the caret behind b');
    terminal.press('right', 'right');
    await terminal.until(() => beforeCursor(terminal).endsWith('c'), 'the caret behind c');
  });
}

test('TU-1: ended during a reply: everything shown is there, each line once', async () => {
  const stage = await setTerminalStage([{ reply: longReply(400), delay: { eventMs: 8 } }]);
  const terminal = stage.open();
  await terminal.until('? keys');
  terminal.type('go\r');
  await terminal.until('M0060');
  terminal.process.kill('SIGTERM');
  expect(await terminal.ended).toBe(143);
  const found = idsIn(terminal.lines().join('\n'));
  expect(found.length).toBeGreaterThanOrEqual(60);
  expect(found).toEqual(idsIn(longReply(400)).slice(0, found.length));
  expectEarlierLines(terminal.lines());
});
