/** What the tests of mcp-list.test.ts share with those of test:long. */

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of entries are written so.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '../../../support/program.js';
import { setStage } from '../../../support/story.js';

export const setUp = async () => {
  const stage = await setStage();
  await mkdir(join(stage.folder, '.git'));
  const run = async (...args: string[]) => runProgram(['mcp', ...args], stage.at);
  const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).stdout);
  return { ...stage, run, json };
};

export const mcp = (mcpServers: object) => JSON.stringify({ mcpServers });
