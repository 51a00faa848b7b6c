/** Git for one worktree: whatever its folder says, it speaks of this worktree and of no other. */

import type { Checkout } from '../../git/checkout.js';
import { type Git, openGit } from '../../git/git.js';
import type { Host } from '../../host.js';

/** `path` undefined: its folder is gone, and only what git keeps of it is asked about. */
export async function openWorktreeGit(
  host: Host,
  checkout: Checkout,
  place: { readonly gitDir: string; readonly path?: string },
): Promise<Git> {
  const git = await openGit(host, place.path ?? checkout.top, checkout);
  // Without these, a worktree whose .git file is gone would be taken for a folder of the checkout around it.
  const own = { GIT_DIR: place.gitDir, ...(place.path === undefined ? {} : { GIT_WORK_TREE: place.path }) };
  return (args, options = {}) => git(args, { ...options, env: { ...own, ...options.env } });
}
