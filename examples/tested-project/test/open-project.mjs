/**
 * Opens a session in a copy of this project, with its own home: nothing of the machine's owner is in it (their
 * settings, agents, instructions), and nothing of theirs is touched.
 */

import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createSession } from 'coppice';

export const PROJECT = fileURLToPath(new URL('..', import.meta.url));

/** @param {import('coppice').SessionOptions} options */
export async function openProject(options) {
  const folder = await mkdtemp(join(tmpdir(), 'tested-project-'));
  const cwd = join(folder, 'project');
  const home = join(folder, 'home');
  await mkdir(home);
  await mkdir(cwd);
  for (const name of ['.claude', 'CLAUDE.md', 'src'])
    await cp(join(PROJECT, name), join(cwd, name), { recursive: true });
  const { env, ...rest } = options;
  const session = await createSession({
    cwd,
    trust: true, // the project's own settings, agents and hooks count
    env: { PATH: process.env.PATH, HOME: home, ...env },
    ...rest,
  });
  const close = async () => {
    await session.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { session, cwd, close };
}
