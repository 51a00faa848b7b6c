/** What must hold of a repository before a worktree of it is made: each failure is one clear line (WT-1). */

import type { Checkout } from '../git/checkout.js';
import { branchOf, isWorktreeName, NAME_RULE } from './worktree-record.js';

export type CheckedRepository =
  | { readonly ok: true /** The commit at HEAD. */; readonly base: string; readonly stashes: readonly string[] }
  | { readonly ok: false; readonly reason: string };

export async function checkRepository({ git, top }: Checkout, name: string): Promise<CheckedRepository> {
  if (!isWorktreeName(name)) return refuse(`${JSON.stringify(name)} can't be the name of a worktree: ${NAME_RULE}`);
  const branch = branchOf(name);
  const [version, head, stashes, existing] = await Promise.all([
    git(['version']),
    git(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']),
    git(['stash', 'list', '--format=%H']),
    git(['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`]),
  ]);
  if (!version.ok) return refuse(version.reason);
  const [, major = 0, minor = 0] = (/(\d+)\.(\d+)/.exec(version.text) ?? []).map(Number);
  if (major < 2 || (major === 2 && minor < 38)) {
    return refuse(`${version.text} is too old for worktrees: install git 2.38 or later`);
  }
  if (!head.ok) return refuse(`${top} has no commits yet: a worktree begins with one (git commit)`);
  if (!stashes.ok) return refuse(`the stashes of ${top} can't be listed: ${stashes.reason}`);
  if (existing.ok) {
    return refuse(`the branch ${branch} exists already: choose another name, or remove it (git branch -d ${branch})`);
  }
  return { ok: true, base: head.text, stashes: stashes.text.split('\n').filter((line) => line !== '') };
}

function refuse(reason: string): CheckedRepository {
  return { ok: false, reason };
}
