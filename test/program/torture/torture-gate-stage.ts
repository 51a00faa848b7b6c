/** What the tests of torture-gate.test.ts share with those of test:long. */

import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../support/program.js';

export const FOUND = join(ROOT, 'test/unit/gate/generated/found.jsonl');

/** The recorder needs both; without user namespaces neither a box nor a playground can be made. */
export const canRecord =
  spawnSync('bwrap', ['--unshare-user', '--ro-bind', '/', '/', 'true']).status === 0 &&
  spawnSync('strace', ['-V']).status === 0;

if (!canRecord) process.stdout.write('\ntorture:gate: no bubblewrap or no strace here, so nothing is recorded\n');

export type Ran = { readonly stdout: string; readonly stderr: string; readonly code: number };

export async function torture(...args: string[]): Promise<Ran> {
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, ['scripts/torture-gate.mjs', ...args], {
      cwd: ROOT,
      maxBuffer: 64 * 1024 * 1024,
    });
    return { stdout, stderr, code: 0 };
  } catch (error) {
    const { stdout = '', stderr = '', code = -1 } = error as Partial<Ran>;
    return { stdout, stderr, code };
  }
}
