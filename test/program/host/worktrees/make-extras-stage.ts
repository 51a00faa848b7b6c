/** What the tests of make-extras.test.ts share with those of test:long. */

import type { Repository } from './make-repository.js';

export const LINE = '/.claude/worktrees/';

export async function linesOf({ read }: Repository): Promise<readonly string[]> {
  return (await read('.git/info/exclude')).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}
