/** What the tests of list-for-picker.test.ts share with those of test:long. */

import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeHost } from '../../../../../src/host/node-host.js';
import { admitted, linesOf, started } from '../../sample-events.js';

export const real = nodeHost('/');

export function writeSessions(home: string, project: string, count: number, from = 0): void {
  const folder = join(home, 'projects', project);
  mkdirSync(folder, { recursive: true });
  for (let n = from; n < from + count; n += 1) {
    const path = join(folder, `s${n}.jsonl`);
    writeFileSync(path, Buffer.concat(linesOf([started(`s${n}`), admitted(`first ${n}`), admitted(`last ${n}`)])));
    utimesSync(path, 1_750_000_000 + n, 1_750_000_000 + n);
  }
}
