/** Detects a git operation in progress in a checkout. */

import { join } from 'node:path';
import type { Host } from '../../host.js';

const MARKS: readonly (readonly [file: string, what: string])[] = [
  ['MERGE_HEAD', 'a merge'],
  ['CHERRY_PICK_HEAD', 'a cherry-pick'],
  ['REVERT_HEAD', 'a revert'],
  ['rebase-merge', 'a rebase'],
  ['rebase-apply', 'a rebase or git am'],
  ['sequencer', 'a cherry-pick or revert of several commits'],
  ['BISECT_LOG', 'a bisection'],
];

/** Returns its name for people: `a merge`. A file that can't be inspected is assumed to exist. */
export async function operationInProgress({ files }: Host, gitDir: string): Promise<string | undefined> {
  for (const [file, what] of MARKS) {
    const isThere = await files.lstat(join(gitDir, file)).then(
      (stat) => stat !== undefined,
      () => true,
    );
    if (isThere) return what;
  }
  return undefined;
}
