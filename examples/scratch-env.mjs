/** A temporary project and home, so that an example touches nothing of yours. */

import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** @param {string} url */
export async function scratchEnv(url) {
  const folder = await mkdtemp(join(tmpdir(), 'coppice-example-'));
  const cwd = join(folder, 'project');
  await mkdir(cwd);
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    COPPICE_HOME: join(folder, 'state'),
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'any',
  };
  return { cwd, env, remove: () => rm(folder, { recursive: true, force: true }) };
}
