import { setTimeout } from 'node:timers/promises';
import { beforeAll, expect, it } from 'vitest';
import { QUIET_MS } from '../../../src/front/tui/input/answer-guard.js';
import { expectSummary, NOTHING, openDemo } from '../../program/tui/demo-stage.js';
import { expectEarlierLines } from '../../program/tui/terminal-stage.js';
import { buildProgram } from '../../support/program.js';

beforeAll(buildProgram);

it('SF-13: --play types the prompts in the real terminal, answers, is killed and continues in a new process', async () => {
  const { at, left } = await openDemo('--play');
  await at.untilSeen('> Customers pay');
  await at.untilSeen(/^fix \(fork, worktree agent-\w+\) asks$/m);
  // One of the forks is opened while another works.
  await at.untilSeen(/^fix · fork · /m);
  await at.until('The audit is back: 400 orders were too cheap, 8780 in all.');
  await at.until(/kill -9 \d+: the file is written/);
  await at.until('The note is in CHANGES.md');
  expect(await at.ended).toBe(0);
  expect(at.terminal.modes.bracketedPasteMode).toBe(false);
  expectSummary(at);
  expectEarlierLines(at.lines());
  expect(await left()).toEqual(NOTHING);
});

it('SF-13: at the question of --play the user’s keys apply, and a no does not end the demo', async () => {
  const { at, left } = await openDemo('--play');
  await at.untilSeen('> Customers pay');
  at.type('these keys are swallowed');
  await at.untilSeen(/^fix \(fork, worktree agent-\w+\) asks$/m);
  expect(at.rows().join('\n')).not.toContain('swallowed');
  // A question takes no key in its first half second (TU-15).
  await setTimeout(QUIET_MS + 100);
  at.press('n');
  await at.untilSeen('enter sends the no');
  at.type('no tests today');
  at.press('enter');
  await at.until('Fixed and committed on its own branch, but not tested');
  at.press('ctrl+c');
  expect(await at.ended).toBe(130);
  expect(await left()).toEqual(NOTHING);
});
