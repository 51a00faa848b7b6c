/**
 * Finds out whether a worktree contains work (WT-7): anything that differs from what was recorded when it was made. If
 * something can't be checked, it is treated as work.
 */

import { reasonOf } from '../../protocol/reason-of.js';
import type { Checkout } from '../git/checkout.js';
import { type Git, openGit } from '../git/git.js';
import type { Host } from '../host.js';
import { type Located, locateWorktree } from './locate-worktree.js';
import { findFilesWork } from './work/files-work.js';
import { findHalfMadeWork } from './work/half-made-work.js';
import { findBranchWork, findHistoryWork } from './work/history-work.js';
import type { WorktreeRecord } from './worktree-record.js';

export type Work =
  | { readonly kind: 'none' }
  /** For people: the work found, and what could not be checked. */
  | { readonly kind: 'work'; readonly reasons: readonly string[] }
  /** Its folder is gone, and nothing that could be lost is left of it. */
  | { readonly kind: 'gone'; readonly reason: string };

/** Never rejects, and changes nothing. */
export async function findWork(host: Host, checkout: Checkout, record: WorktreeRecord): Promise<Work> {
  try {
    if (record.madeBy === 'hook') return await inspectHookMade(host, record);
    const located = await locateWorktree(host, checkout.commonDir, record);
    const reasons = await findReasons(host, checkout, record, located);
    if (reasons.length > 0) return { kind: 'work', reasons };
    const isGone = located.kind === 'missing' || located.kind === 'nothing';
    return isGone ? { kind: 'gone', reason: `${record.path} is not there any more` } : { kind: 'none' };
  } catch (error) {
    return { kind: 'work', reasons: [`it could not be checked: ${reasonOf(error)}`] };
  }
}

async function inspectHookMade(host: Host, { path }: WorktreeRecord): Promise<Work> {
  if ((await host.files.lstat(path)) === undefined) return { kind: 'gone', reason: `${path} is not there any more` };
  return { kind: 'work', reasons: ['it was made by a WorktreeCreate hook: only its maker knows what is in it'] };
}

async function findReasons(
  host: Host,
  checkout: Checkout,
  record: WorktreeRecord,
  located: Located,
): Promise<readonly string[]> {
  const isHalf = record.stage !== 'made';
  switch (located.kind) {
    case 'nothing':
      return findBranchWork(checkout.git, record);
    case 'missing': {
      // While it is being made or removed, its registration may be incomplete.
      if (isHalf) return findBranchWork(checkout.git, record);
      const git = await openWorktreeGit(host, checkout, located);
      return findHistoryWork({ host, git, gitDir: located.gitDir, record });
    }
    case 'unregistered': {
      if (isHalf && located.isEmpty) return findBranchWork(checkout.git, record);
      return [`${located.path} is not registered with git any more: what is in it can't be checked`];
    }
    case 'moved':
      return [`it was moved to ${located.path}`];
    case 'damaged':
      return [`it could not be checked: ${located.reason}`];
    case 'here': {
      const { path, gitDir, link } = located;
      if (isHalf) {
        const open = () => openGit(host, path, checkout);
        const files = await findHalfMadeWork({ host, commonDir: checkout.commonDir, path, record, open });
        const history = await findHalfMadeHistory(host, checkout, record, located);
        return [...files, ...history];
      }
      if (link === 'none')
        return [`it could not be checked: its .git file is gone (git worktree repair makes it again)`];
      const git = await openWorktreeGit(host, checkout, { gitDir, path });
      const query = { host, git, gitDir, record, path };
      const [history, files] = await Promise.all([findHistoryWork(query), findFilesWork(query)]);
      return [...history, ...files];
    }
  }
}

/** Its git folder may not have a HEAD yet: then only the branch can contain work. */
async function findHalfMadeHistory(
  host: Host,
  checkout: Checkout,
  record: WorktreeRecord,
  { gitDir }: { readonly gitDir: string },
): Promise<readonly string[]> {
  const git = await openWorktreeGit(host, checkout, { gitDir });
  const isWhole = (await git(['rev-parse', '--git-dir'])).ok;
  return isWhole ? findHistoryWork({ host, git, gitDir, record }) : findBranchWork(checkout.git, record);
}

/** Without `path`, its folder is gone, and only git's records of it are read. */
async function openWorktreeGit(
  host: Host,
  checkout: Checkout,
  place: { readonly gitDir: string; readonly path?: string },
): Promise<Git> {
  const git = await openGit(host, place.path ?? checkout.top, checkout);
  // Without these, a worktree whose .git file is gone would be treated as a folder of the checkout around it.
  const own = { GIT_DIR: place.gitDir, ...(place.path === undefined ? {} : { GIT_WORK_TREE: place.path }) };
  return (args, options = {}) => git(args, { ...options, env: { ...own, ...options.env } });
}
