import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';

const run = promisify(execFile);

it('SF-18: the bench prints ratios to a floor measured in the same run, and keeps them as JSON', async () => {
  const { stdout } = await run(process.execPath, ['bench/run.mjs', 'start', '--runs', '1']);
  const file = /saved to (\S+\.json)/.exec(stdout)?.[1];
  if (file === undefined) throw new Error(stdout);
  onTestFinished(() => rm(file, { force: true }));
  const kept = JSON.parse(await readFile(file, 'utf8'));
  const version = kept.rows.find((row: { name: string }) => row.name.includes('--version'));
  expect(version).toMatchObject({ floor: expect.any(Number), ours: expect.any(Number) });
  expect(version.ours).toBeGreaterThan(0);
  expect(stdout).toContain('--version');
});

it('SF-18: a row that is not there is named, with those that are', async () => {
  await expect(run(process.execPath, ['bench/run.mjs', 'nonsense'])).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('unknown row "nonsense"; available: start'),
  });
});
