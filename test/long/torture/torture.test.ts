/** Samples of `npm run torture`: the real program, struck at random moments, resumed until it is done. */

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { buildProgram, ROOT } from '../../support/program.js';

beforeAll(buildProgram);

const NONE = [
  'acknowledged records lost',
  'notices lost or doubled',
  'unreadable files',
  'invalid requests',
  'effects repeated in silence',
  'processes left, second writers',
  'worktrees lost, left locked, or damaged',
  'sessions that did not finish',
];

/** What it printed, as figures by name. The seed is part of what is printed, and so of the message when it fails. */
async function torture(...args: readonly string[]): Promise<(name: string) => number> {
  const run = promisify(execFile)(process.execPath, [join(ROOT, 'scripts/torture.mjs'), ...args], { cwd: ROOT });
  const { stdout } = await run.catch((error: { stdout: string; stderr: string }) =>
    expect.fail(`${error.stderr}\n${error.stdout}`),
  );
  expect(stdout).toMatch(new RegExp(`torture: ${args[0]} runs in .* seed \\d+`));
  const figure = (name: string) => Number(new RegExp(`${name}.*\\s(\\d+)$`, 'm').exec(stdout)?.[1] ?? Number.NaN);
  for (const name of NONE) expect(figure(name), stdout).toBe(0);
  return figure;
}

it('DU-22, DU-4, LC-9, failures 40, 41: whatever strikes it at random moments, nothing that was acknowledged is lost', async () => {
  const figure = await torture('8');
  // It must have had something to lose.
  expect(figure('records on disk')).toBeGreaterThan(100);
  expect(figure('requests to the model')).toBeGreaterThan(50);
});

it('DU-3, DU-7: when the power goes, what was synced is there: prompts, answers, intents, results with effects, prefixes', async () => {
  const figure = await torture('4', '--only', 'power', '--seed', '50');
  expect(figure('lost power')).toBeGreaterThan(0);
});
