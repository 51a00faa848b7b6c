/** SF-6: the examples run, from the built package, and check their own output. */

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { buildProgram, ROOT } from '../../../support/program.js';
import { examples, testProject } from './examples-stage.js';

beforeAll(buildProgram);

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
