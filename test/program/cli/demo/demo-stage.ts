/** What the tests of demo.test.ts share with those of test:long. */

import { scratchFolder } from '../../../support/scratch.js';

/** A folder for temporary files of its own: what is left in it is the demo's. */
export async function place() {
  const folder = await scratchFolder();
  return { folder, start: { cwd: folder, env: { PATH: process.env.PATH, HOME: folder, TMPDIR: folder } } };
}
