/** A sample of `npm run torture`: the real program, killed at random moments, resumed until it is done. */

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { buildProgram, ROOT } from '../support/program.js';

beforeAll(buildProgram);

const RUNS = 8;

it('DU-22, DU-4, failures 40, 41: kill -9 at random moments loses nothing that was acknowledged', {
  timeout: 240_000,
}, async () => {
  const run = promisify(execFile)(process.execPath, [join(ROOT, 'scripts/torture.mjs'), String(RUNS)], { cwd: ROOT });
  // The seed is part of what is printed, and so of the message when it fails.
  const { stdout } = await run.catch((error: { stdout: string; stderr: string }) =>
    expect.fail(`${error.stderr}\n${error.stdout}`),
  );
  expect(stdout).toMatch(new RegExp(`torture: ${RUNS} runs in .* seed \\d+`));
  const figure = (name: string) => Number(new RegExp(`${name}.*\\s(\\d+)$`, 'm').exec(stdout)?.[1] ?? Number.NaN);
  // It must have had something to lose.
  expect(figure('killed with SIGKILL')).toBeGreaterThan(0);
  expect(figure('records on disk')).toBeGreaterThan(100);
  for (const name of ['acknowledged records lost', 'notices lost or doubled', 'unreadable files', 'invalid requests']) {
    expect(figure(name), stdout).toBe(0);
  }
});
