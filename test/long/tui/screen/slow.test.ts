/** A terminal that does not read, and a history that gets very long: time and memory stay bounded (TU-32). */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { idsIn, longReply } from '../../../program/tui/screen/long-reply.js';
import { expectEarlierLines, setTerminalStage, type TestTerminal } from '../../../program/tui/terminal-stage.js';
import { agentCall } from '../../../support/agent-call.js';
import { until } from '../../../support/until.js';

/** Megabytes of the program's memory. */
function memoryOf({ process: { pid } }: TestTerminal): number {
  const [, kilobytes = '0'] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

test('TU-32: the terminal reads nothing for a while: no flood of frames, bounded memory, and everything arrives afterwards', async () => {
  const reply = longReply(2_000);
  const stage = await setTerminalStage([
    { when: { said: 'CHILD' }, reply: 'never', delay: { firstMs: 600_000 } },
    { when: { user: 'go' }, reply: [agentCall('CHILD', { description: 'ticks', run_in_background: true })] },
    { when: { result: { tool: 'Agent' } }, reply, delay: { eventMs: 1 } },
  ]);
  const terminal = stage.open(['--permission-mode', 'acceptEdits']);
  await terminal.until('? keys');
  terminal.type('go\r');
  await terminal.until('M0010');
  const before = memoryOf(terminal);
  const written = terminal.raw().length;
  terminal.process.pause();
  // Many more frames than the system buffers for a terminal.
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  const during = memoryOf(terminal);
  terminal.process.resume();
  await terminal.until('THE END');
  await terminal.untilGone('esc interrupts');
  expect(idsIn(terminal.lines().join('\n'))).toEqual(idsIn(reply));
  expectEarlierLines(terminal.lines());
  expect(during / before).toBeLessThan(2);
  // The text, some colours, and only as many frames as were read.
  expect(terminal.raw().length - written).toBeLessThan(20 * reply.length);
});

test('TU-32: histories of 10,000 lines, one after another: memory stays flat', async () => {
  const reply = longReply(10_000);
  const stage = await setTerminalStage([{ when: { user: 'go' }, reply }]);
  const terminal = stage.open();
  await terminal.until('? keys');
  const memory: number[] = [];
  for (let round = 1; round <= 4; round += 1) {
    terminal.type(`go ${round}\r`);
    await until(() => terminal.raw().split('THE END').length > round, 'the end of the reply', 60_000);
    await terminal.until('? keys');
    await terminal.untilGone('esc interrupts');
    memory.push(memoryOf(terminal));
  }
  // Node takes its time to collect: it must not grow with every history.
  const [first = 0, , third = 0, fourth = 0] = memory;
  expect(Math.min(third, fourth) / first, `MB: ${memory.map(Math.round).join(', ')}`).toBeLessThan(1.5);
});
