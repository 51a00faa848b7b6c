/** What the tests of hostile-trees.test.ts share with those of test:long. */

import { execFileSync } from 'node:child_process';
import { mkdir, rename, symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { scratchFolder } from '../../../support/scratch.js';
import type { Stage } from '../../../support/story.js';

/** Makes something at a path. Its folder is there; the path is not. */
export type Thing = (path: string) => Promise<unknown>;

export const THINGS: Readonly<Record<string, Thing>> = {
  'a pipe': async (path) => execFileSync('mkfifo', [path]),
  'a socket': async (path) => {
    // A socket's path must be short; it is moved to its place.
    const folder = await scratchFolder();
    const server = createServer().listen(join(folder, 's'));
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    await rename(join(folder, 's'), path);
  },
  'a link to a device that never ends': (path) => symlink('/dev/zero', path),
  'a link to a file of the kernel': (path) => symlink('/proc/kmsg', path),
  'a link to /proc': (path) => symlink('/proc', path),
  'a link to /usr': (path) => symlink('/usr', path),
  'a link in a circle': (path) => symlink(path, path),
  'a gigabyte': async (path) => {
    await writeFile(path, '');
    await truncate(path, 1024 ** 3);
  },
  'a folder': (path) => mkdir(path),
};

export async function put(stage: Stage, place: string, thing: Thing): Promise<string> {
  const path = join(stage.folder, place);
  await mkdir(dirname(path), { recursive: true });
  await thing(path);
  return path;
}

/** The session opens and works; lines that name the path are returned. */
export async function openAnd(stage: Stage, path: string): Promise<readonly string[]> {
  const session = await stage.open();
  expect(await session.send('hi')).toMatchObject({ reason: 'completed', text: 'ok' });
  return session.warnings.filter((line) => line.includes(path));
}
