/** What the tests of examples.test.ts share with those of test:long. */

import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { cp, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../../support/program.js';
import { scratchFolder } from '../../../support/scratch.js';

export const examples = readdirSync(join(ROOT, 'examples')).filter(
  (name) => name.endsWith('.mjs') && name !== 'scratch-env.mjs',
);

export async function testProject(change: (copy: string) => Promise<void>): Promise<{ readonly stdout: string }> {
  const copy = join(await scratchFolder(), 'tested-project');
  await cp(join(ROOT, 'examples', 'tested-project'), copy, { recursive: true });
  await mkdir(join(copy, 'node_modules'), { recursive: true });
  await symlink(ROOT, join(copy, 'node_modules', 'coppice'));
  await change(copy);
  const { NODE_OPTIONS: _, ...env } = process.env;
  return promisify(execFile)('npm', ['test', '--silent'], { cwd: copy, env }).catch((error) => error);
}
