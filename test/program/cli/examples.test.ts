/** SF-6: the examples run, from the built package, and check their own output. */

import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { cp, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { buildProgram, ROOT } from '../../support/program.js';
import { scratchFolder } from '../../support/scratch.js';

beforeAll(buildProgram);

const examples = readdirSync(join(ROOT, 'examples')).filter(
  (name) => name.endsWith('.mjs') && name !== 'scratch-env.mjs',
);

it('SF-6: there are examples', () => {
  expect(examples.length).toBeGreaterThanOrEqual(4);
});

it.each(examples)('SF-6: examples/%s', async (name) => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [join(ROOT, 'examples', name)]);
  expect(stdout).toMatch(/^ok$/m);
  expect(stderr).toBe('');
});

it('SF-6 SF-12: examples/tested-project tests its agent, hook and rules, by scenario and by recording', async () => {
  const { stdout } = await testProject(async () => {});
  // Prompts and tools of our own are in the recording: when they change, `npm run record-example` records it again.
  expect(stdout).toMatch(/^(?:#|ℹ) pass 6$/m);
  expect(stdout).toMatch(/^(?:#|ℹ) fail 0$/m);
});

it('SF-6 SF-12: the tests of examples/tested-project fail and end where its agent is gone or its settings are broken', async () => {
  const agentGone = await testProject((copy) => rm(join(copy, '.claude', 'agents', 'reviewer.md')));
  expect(agentGone.stdout).toMatch(/There is no review: /);
  expect(agentGone.stdout).toMatch(/^(?:#|ℹ) fail 2$/m);
  const settingsBroken = await testProject((copy) => writeFile(join(copy, '.claude', 'settings.json'), '{'));
  expect(settingsBroken.stdout).toMatch(/settings\.json:1:2: error: not valid JSON/);
  expect(settingsBroken.stdout).toMatch(/^(?:#|ℹ) fail 6$/m);
});

async function testProject(change: (copy: string) => Promise<void>): Promise<{ readonly stdout: string }> {
  const copy = join(await scratchFolder(), 'tested-project');
  await cp(join(ROOT, 'examples', 'tested-project'), copy, { recursive: true });
  await mkdir(join(copy, 'node_modules'), { recursive: true });
  await symlink(ROOT, join(copy, 'node_modules', 'coppice'));
  await change(copy);
  const { NODE_OPTIONS: _, ...env } = process.env;
  return promisify(execFile)('npm', ['test', '--silent'], { cwd: copy, env }).catch((error) => error);
}
