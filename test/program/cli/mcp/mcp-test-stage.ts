/** What the tests of mcp-test.test.ts share with those of test:long. */

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of entries are written so.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT, runProgram } from '../../../support/program.js';
import { setStage } from '../../../support/story.js';

export const SERVER = join(ROOT, 'test/fixtures/mcp/server.mjs');

export const small = (setup: object) => ({
  command: process.execPath,
  args: [SERVER],
  env: { MCP_TEST: JSON.stringify(setup) },
});

export const setUp = async () => {
  const stage = await setStage();
  await mkdir(join(stage.folder, '.git'));
  const run = (...args: string[]) => runProgram(['mcp', 'test', ...args], stage.at);
  return { ...stage, run };
};
