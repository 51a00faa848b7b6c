/** The demo at a real terminal: live progress, and the same session played in the terminal itself. */

import { beforeAll, expect, it } from 'vitest';
import { buildProgram } from '../../support/program.js';
import { expectSummary, NOTHING, openDemo } from './demo-stage.js';
import { count, expectEarlierLines } from './terminal-stage.js';

beforeAll(buildProgram);

it('SF-13: at a terminal the demo shows live progress, and ends with the agents and the cache table', async () => {
  const { at, left } = await openDemo();
  await at.untilSeen(/^agents 3 · .*running/m);
  await at.untilSeen(/^● audit .* waiting for the model/m);
  await at.untilSeen('a new process continues');
  expect(await at.ended).toBe(0);
  expectSummary(at);
  expectEarlierLines(at.lines());
  expect(count(at.lines(), 'asks you: may I run  node --test')).toBe(1);
  // The live part is gone.
  expect(at.lines().join('\n')).not.toMatch(/^(agents \d|[✻✽✶✳✢])/m);
  expect(await left()).toEqual(NOTHING);
});

it('SF-13: Ctrl+C exits the live demo, restores the terminal, and leaves nothing behind', async () => {
  const { at, left } = await openDemo();
  await at.untilSeen(/^agents \d/m);
  at.press('ctrl+c');
  expect(await at.ended).toBe(130);
  expect(at.terminal.modes.bracketedPasteMode).toBe(false);
  expectEarlierLines(at.lines());
  expect(await left()).toEqual(NOTHING);
});
