/** SF-6: the examples run, from the built package, and check their own output. */

import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { buildProgram, ROOT } from '../support/program.js';

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
