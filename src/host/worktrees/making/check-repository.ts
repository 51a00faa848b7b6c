/** Checks the preconditions of a worktree: each failure is one clear line (WT-1). */

import { fail, type Result } from '../../../protocol/result.js';
import type { Checkout } from '../../git/checkout.js';
import { checkGitVersion } from '../../git/git-version.js';
import { branchOf, isWorktreeName, NAME_RULE } from '../worktree-record.js';

/** `base`: the commit at HEAD. */
export type CheckedRepository = Result<{ readonly base: string; readonly stashes: readonly string[] }>;

export async function checkRepository(checkout: Checkout, name: string): Promise<CheckedRepository> {
  const { git, top } = checkout;
  if (!isWorktreeName(name)) return fail(`${JSON.stringify(name)} can't be the name of a worktree: ${NAME_RULE}`);
  const branch = branchOf(name);
  const [version, head, stashes, existing] = await Promise.all([
    checkGitVersion(git),
    git(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']),
    git(['stash', 'list', '--format=%H']),
    git(['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`]),
  ]);
  if (version !== undefined) return fail(version);
  if (!head.ok) return fail(`${top} has no commit at HEAD yet: a worktree begins with one (git commit)`);
  if (!stashes.ok) return fail(`the stashes of ${top} can't be listed: ${stashes.reason}`);
  if (existing.ok) {
    return fail(`the branch ${branch} exists already: choose another name, or remove it (git branch -d ${branch})`);
  }
  const missing = await findMissing(checkout, head.text);
  if (missing !== undefined) return fail(missing);
  return { ok: true, base: head.text, stashes: stashes.text.split('\n').filter((line) => line !== '') };
}

/** A partial clone fetches missing objects, but only if it is trusted. */
async function findMissing({ git, top, trusted }: Checkout, base: string): Promise<string | undefined> {
  if (trusted) return undefined;
  const isPartial = await git(['config', '--name-only', '--get-regexp', String.raw`^remote\..*\.promisor$`]);
  if (!isPartial.ok) return undefined;
  const objects = await git(['rev-list', '--objects', '--no-object-names', '--missing=print', '--no-walk', base]);
  if (objects.ok && !/^\?/m.test(objects.text)) return undefined;
  return `${top} is a partial clone that lacks files of its last commit: trust the folder, or fetch them (git checkout .)`;
}
