/** Checks the version of git: worktrees need `merge-tree` and NUL-separated output. */

import type { Git } from './git.js';

const OLDEST = [2, 38] as const;

/** Returns what is wrong with the version, for people; undefined if it is new enough. */
export async function checkGitVersion(git: Git): Promise<string | undefined> {
  const version = await git(['version']);
  if (!version.ok) return version.reason;
  const [, major = 0, minor = 0] = (/(\d+)\.(\d+)/.exec(version.text) ?? []).map(Number);
  const isEnough = major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
  return isEnough ? undefined : `${version.text} is too old: worktrees need git ${OLDEST.join('.')} or later`;
}
