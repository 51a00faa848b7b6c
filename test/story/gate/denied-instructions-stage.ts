/** What the tests of denied-instructions.test.ts share with those of test:long. */

import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { SessionOptions } from '../../../src/engine/session-options.js';
import { type Stage, setStage } from '../../support/story.js';

export const SECRET = 'TOKEN=hunter2';

export const WARNING = /a permission rule denies reading it or asks about it/;

export async function plant(): Promise<Stage> {
  const stage = await setStage();
  await stage.write('.env', SECRET);
  await stage.write('secrets/key.md', SECRET);
  await stage.write('node.pem', SECRET);
  await stage.write('lib/x.txt', 'content');
  await mkdir(join(stage.folder, '.claude', 'rules'), { recursive: true });
  return stage;
}

/** What the model got, and what the user was informed of. */
export async function converse(stage: Stage, options: SessionOptions) {
  stage.sim.use([
    { when: { nth: 1 }, reply: () => [{ tool: 'Read', input: { file_path: `${stage.folder}/lib/x.txt` } }] },
    { when: { nth: 2 }, reply: 'done' },
  ]);
  const session = await stage.open({ trust: true, ...options });
  await session.send('read it');
  expect(stage.sim.requests).toHaveLength(2);
  return { sent: stage.sim.requests.map(({ raw }) => raw.toString('utf8')).join('\n'), warnings: session.warnings };
}

export const RULES = ['Read(.env)', 'Read(secrets/**)', 'Read(*.pem)'];

export const link = (stage: Stage, target: string, name: string) => symlink(target, join(stage.folder, name));
