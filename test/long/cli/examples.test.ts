/** SF-6: the examples run, from the built package, and check their own output. */

import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { testProject } from '../../program/cli/examples/examples-stage.js';
import { buildProgram } from '../../support/program.js';

beforeAll(buildProgram);

it('SF-6 SF-12: the tests of examples/tested-project fail and end where its agent is gone or its settings are broken', async () => {
  const agentGone = await testProject((copy) => rm(join(copy, '.claude', 'agents', 'reviewer.md')));
  expect(agentGone.stdout).toMatch(/There is no review: /);
  expect(agentGone.stdout).toMatch(/^(?:#|ℹ) fail 2$/m);
  const settingsBroken = await testProject((copy) => writeFile(join(copy, '.claude', 'settings.json'), '{'));
  expect(settingsBroken.stdout).toMatch(/settings\.json:1:2: error: not valid JSON/);
  expect(settingsBroken.stdout).toMatch(/^(?:#|ℹ) fail 6$/m);
});
