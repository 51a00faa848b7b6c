/** The policy of an agent in one of our worktrees: whether it is on its own branch, and what is outside of it. */

import { join, relative } from 'node:path';
import type { SyncFiles } from '../../../host/files.js';
import type { AgentWorktree } from '../../../protocol/events.js';
import type { WorktreePolicy } from '../policy.js';
import { isWithin } from './resolve-path.js';

export function worktreePolicy(worktree: AgentWorktree, bubbles: boolean, files: SyncFiles): WorktreePolicy {
  return { path: worktree.path, from: worktree.from, isOnBranch: isOnOwnBranch(worktree, files), bubbles };
}

/** True if `.git`, the folder it names, and the branch are as they were created. False if one can't be read. */
function isOnOwnBranch({ path, branch, git }: AgentWorktree, files: SyncFiles): boolean {
  if (git === undefined || branch === '') return false;
  const readLine = (file: string) => {
    const stat = files.lstat(file);
    return stat?.kind === 'file' && stat.size <= LONGEST_LINE ? files.read(file).toString('utf8').trimEnd() : undefined;
  };
  try {
    const named = /^gitdir: (.+)$/.exec(readLine(join(path, '.git')) ?? '')?.[1];
    const shared = readLine(join(git.own, 'commondir'));
    return (
      named !== undefined &&
      shared !== undefined &&
      files.realpath(named) === git.own &&
      files.realpath(shared.startsWith('/') ? shared : join(git.own, shared)) === git.common &&
      readLine(join(git.own, 'HEAD')) === `ref: refs/heads/${branch}`
    );
  } catch {
    return false;
  }
}

const LONGEST_LINE = 8_192;

/** True if a real path is in the checkout it was created from, or in another worktree there. */
export function leavesWorktree({ path, from }: WorktreePolicy, real: string): boolean {
  return isWithin(real, from) && !isWithin(real, path);
}

/** The corresponding path in the worktree. */
export function inWorktree({ path, from }: Pick<WorktreePolicy, 'path' | 'from'>, real: string): string {
  return join(path, relative(from, real));
}

export function describeLeaving(worktree: WorktreePolicy, real: string): string {
  return `${real} is in the checkout this worktree was made from; here it is ${inWorktree(worktree, real)}`;
}
