/**
 * The branches as a confined command in a worktree of ours sees them (GT-22). To commit, git writes beside the branch:
 * a lock, then the new value. So the command gets a copy of the branches to write to; afterwards the worktree's own
 * branch is moved for real, by git and only from where it was, and whatever else was changed there is left behind.
 */

import { dirname, join } from 'node:path';
import { errorCode } from '../../../host/files.js';
import { openGit } from '../../../host/git/git.js';
import type { Host } from '../../../host/host.js';
import type { Mount } from '../mounts/mounts.js';
import { removeTree } from '../remove-tree.js';

export type WorktreeGit = {
  /** The worktree's own record, and the git folder that all worktrees share: real paths. */
  readonly own: string;
  readonly common: string;
  readonly branch: string;
};

export type BranchView = {
  readonly mounts: readonly Mount[];
  /** Call once when the command has ended. Returns lines for what was not taken over. */
  finish(): Promise<readonly string[]>;
};

/** The copy is shared by commands that run at the same time: git's locks hold between them. */
type Copy = {
  readonly folder: string;
  readonly heads: string;
  /** Each branch as it was copied, by its name. */
  readonly copied: ReadonlyMap<string, string>;
  /** Where the worktree's own branch really is. */
  at: string | undefined;
};

export interface BranchViews {
  open(worktree: WorktreeGit): Promise<BranchView>;
}

/** `folder`: of our own, hidden from commands. */
export function createBranchViews(host: Host, folder: string): BranchViews {
  const shared = new Map<string, { readonly copy: Promise<Copy>; users: number }>();
  return {
    open: async (worktree) => {
      const real = join(worktree.common, 'refs/heads');
      // Branches may be kept in another way (reftable): then a commit is refused by the sandbox.
      if ((await host.files.lstat(real))?.kind !== 'folder') return { mounts: [], finish: async () => [] };
      const made = () => copyBranches(host, join(folder, host.newId()), worktree);
      const use = shared.get(worktree.own) ?? { copy: made(), users: 0 };
      shared.set(worktree.own, use);
      use.users += 1;
      const copy = await use.copy;
      const logs = join(worktree.common, 'logs/refs/heads');
      const hasLogs = (await host.files.lstat(logs))?.kind === 'folder';
      return {
        mounts: [
          { kind: 'open', path: real, source: copy.heads },
          ...(hasLogs ? [{ kind: 'open', path: logs, source: join(copy.folder, 'logs') } as const] : []),
        ],
        finish: async () => {
          const lines = await takeOver(host, copy, worktree);
          use.users -= 1;
          if (use.users > 0) return lines;
          shared.delete(worktree.own);
          // A command may have put links there: nothing in it is used again.
          await removeTree(host, copy.folder);
          return lines;
        },
      };
    },
  };
}

async function copyBranches(host: Host, folder: string, { common, branch }: WorktreeGit): Promise<Copy> {
  const heads = join(folder, 'heads');
  await host.files.makeFolder(heads, 0o700);
  await host.files.makeFolder(join(folder, 'logs', dirname(branch)), 0o700);
  const found = await readBranches(host, join(common, 'refs/heads'));
  const at = found.get(branch)?.trim() ?? (await findPacked(host, common, branch));
  const copied = new Map([...found, ...(at === undefined ? [] : [[branch, `${at}\n`] as const])]);
  for (const [name, value] of copied) {
    await host.files.makeFolder(dirname(join(heads, name)), 0o700);
    await host.files.create(join(heads, name), value);
  }
  return { folder, heads, copied, at };
}

async function findPacked(host: Host, common: string, branch: string): Promise<string | undefined> {
  const git = await openGit(host, common, { trusted: false });
  const named = await git(['--git-dir=.', 'rev-parse', '--verify', '--quiet', `refs/heads/${branch}`]);
  return named.ok ? named.text : undefined;
}

const DEEPEST = 20;
const LONGEST_VALUE = 4_096;

/** Names of branches and what their files hold. Links and locks are left out. */
async function readBranches(host: Host, folder: string): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const look = async (inner: string, depth: number): Promise<void> => {
    const entries = await host.files.list(join(folder, inner)).catch((error) => {
      if (errorCode(error) === 'ENOENT') return [];
      throw error;
    });
    for (const { name, kind } of entries) {
      const path = join(inner, name);
      if (kind === 'folder' && depth < DEEPEST) await look(path, depth + 1);
      if (kind !== 'file' || name.endsWith('.lock')) continue;
      const stat = await host.files.lstat(join(folder, path));
      if (stat?.kind !== 'file' || stat.size > LONGEST_VALUE) continue;
      found.set(path, (await host.files.read(join(folder, path))).toString('latin1'));
    }
  };
  await look('', 0);
  return found;
}

async function takeOver(host: Host, copy: Copy, { common, branch }: WorktreeGit): Promise<readonly string[]> {
  const now = await readBranches(host, copy.heads);
  const lines = describeOthers(copy.copied, now, branch);
  const value = now.get(branch)?.trim();
  if (value === copy.at) return lines;
  const kept = (why: string) => [...lines, `the branch ${branch} was not moved: ${why}`];
  if (value === undefined) return kept('the command deleted it, which it may not');
  if (!/^[0-9a-f]{40,64}$/.test(value)) return kept('the command wrote something else than a commit there');
  const git = await openGit(host, common, { trusted: false });
  const isCommit = await git(['--git-dir=.', 'cat-file', '-e', `${value}^{commit}`]);
  if (!isCommit.ok) return kept(`${value} is not a commit here`);
  const ref = `refs/heads/${branch}`;
  const moved = await git(['--git-dir=.', 'update-ref', '-m', 'commit in a sandbox', ref, value, copy.at ?? '']);
  if (!moved.ok) return kept(`${moved.reason}. The commit is there as ${value}`);
  copy.at = value;
  return lines;
}

function describeOthers(
  before: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, string>,
  branch: string,
): readonly string[] {
  const names = new Set([...before.keys(), ...now.keys()]);
  names.delete(branch);
  const changed = [...names].filter((name) => before.get(name) !== now.get(name));
  if (changed.length === 0) return [];
  const shown = changed
    .slice(0, 5)
    .map((name) => JSON.stringify(name))
    .join(', ');
  return [`only the branch ${branch} can be changed here; left as they were: ${shown}`];
}
