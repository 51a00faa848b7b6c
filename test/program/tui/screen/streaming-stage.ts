/** The common part of streaming.test.ts here and in test/long. */

import { expect } from 'vitest';
import type { Rule } from '../../../../src/sim/index.js';
import { agentCall } from '../../../support/agent-call.js';
import { count, expectEarlierLines, type TestTerminal } from '../terminal-stage.js';
import { idsIn, longReply, SCRIPTS } from './long-reply.js';

export const REPLY = longReply(400);

export const AGENTS = ['👩‍👩‍👧 family', '你好 worker', 'cafe\u0301 nai\u0308ve', 'שלום'];

/** Agents that tick in the background while the main agent writes. */
export function streaming(eventMs = 8): Rule[] {
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

export async function begin(terminal: TestTerminal): Promise<void> {
  await terminal.until('? keys');
  terminal.type(`go ${SCRIPTS[0]}`);
  await terminal.untilSeen('a tone');
  terminal.press('enter');
  await terminal.until('M0010');
}

/** Every line once, in order; the shell's lines as they were; nothing was cleared. */
export async function expectWhole(terminal: TestTerminal, isLive = true): Promise<void> {
  // One live area, painted a moment after what is above it: one row of the status line, one head of the tree.
  const liveRows = () => {
    const lines = terminal.lines();
    const status = lines.filter((line) => line.endsWith('? keys') && !line.includes('Coppice'));
    return [status.length, lines.filter((line) => /^agents \d/.test(line)).length].join();
  };
  if (isLive) await terminal.until(() => liveRows() === '1,1', 'one row of the status line, one head of the tree');
  const lines = terminal.lines();
  expect(idsIn(lines.join('\n'))).toEqual(idsIn(REPLY));
  expectEarlierLines(lines);
  expect(count(lines, 'THE END')).toBe(1);
  expect(count(lines, 'Coppice 0.')).toBe(1);
  for (const cleared of ['\u001b[2J', '\u001b[3J', '\u001bc']) expect(terminal.raw()).not.toContain(cleared);
}
