/** Runs git for one worktree, whatever its folder contains. */

import type { Checkout } from '../../git/checkout.js';
import { type Git, openGit } from '../../git/git.js';
import type { Host } from '../../host.js';

/** Without `path`, its folder is gone, and only git's records of it are read. */
export async function openWorktreeGit(
  host: Host,
  checkout: Checkout,
  place: { readonly gitDir: string; readonly path?: string },
): Promise<Git> {
  const git = await openGit(host, place.path ?? checkout.top, checkout);
  // Without these, a worktree whose .git file is gone would be treated as a folder of the checkout around it.
  const own = { GIT_DIR: place.gitDir, ...(place.path === undefined ? {} : { GIT_WORK_TREE: place.path }) };
  return (args, options = {}) => git(args, { ...options, env: { ...own, ...options.env } });
}
