/** Throw-away folders, removed when the test that made them ends. */

import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export async function scratchFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'coppice-test-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
