/**
 * Whether a worktree holds anybody's work (WT-7). Everything is compared with what was stored when it was made, and
 * whatever can't be checked counts as work.
 */

import { reasonOf } from '../../protocol/reason-of.js';
import type { Checkout } from '../git/checkout.js';
import { openGit } from '../git/git.js';
import type { Host } from '../host.js';
import { type Located, locateWorktree } from './locate-worktree.js';
import { findFilesWork } from './work/files-work.js';
import { findHalfMadeWork } from './work/half-made-work.js';
import { findBranchWork, findHistoryWork } from './work/history-work.js';
import { openWorktreeGit } from './work/worktree-git.js';
import type { WorktreeRecord } from './worktree-record.js';

export type Work =
  | { readonly kind: 'none' }
  /** For people: what there is, and what could not be checked. */
  | { readonly kind: 'work'; readonly reasons: readonly string[] }
  /** Its folder is gone, and nothing else of it is left that could be lost. */
  | { readonly kind: 'gone'; readonly reason: string };

/** Never rejects, and changes nothing. */
export async function findWork(host: Host, checkout: Checkout, record: WorktreeRecord): Promise<Work> {
  try {
    if (record.madeBy === 'hook') return await lookAtHookMade(host, record);
    const located = await locateWorktree(host, checkout.commonDir, record);
    const reasons = await findReasons(host, checkout, record, located);
    if (reasons.length > 0) return { kind: 'work', reasons };
    const isGone = located.kind === 'missing' || located.kind === 'nothing';
    return isGone ? { kind: 'gone', reason: `${record.path} is not there any more` } : { kind: 'none' };
  } catch (error) {
    return { kind: 'work', reasons: [`it could not be checked: ${reasonOf(error)}`] };
  }
}

async function lookAtHookMade(host: Host, { path }: WorktreeRecord): Promise<Work> {
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
      // While it is made or removed, its registration may be cut short.
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
      const looked = { host, git, gitDir, record, path };
      const [history, files] = await Promise.all([findHistoryWork(looked), findFilesWork(looked)]);
      return [...history, ...files];
    }
  }
}

/** Git's own folder of it may be without a HEAD yet: then only the branch can hold something. */
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
