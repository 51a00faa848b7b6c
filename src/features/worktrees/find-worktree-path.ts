/** Finds the current location of an agent's worktree, and a checkout of its repository to work from. */

import { dirname, join, resolve } from 'node:path';
import { isWithin } from '../../config/path-within.js';
import { type Checkout, findCheckout } from '../../host/git/checkout.js';
import type { Host } from '../../host/host.js';
import { withRepositoryLock } from '../../host/worktrees/repository-lock.js';
import { openRecords, type WorktreeRecord } from '../../host/worktrees/worktree-record.js';
import type { AgentWorktree } from '../../protocol/agent-spawned.js';

type Machine = { readonly host: Host; readonly trusted: boolean };

/** Its current path: the user may have moved it with git. Outside our folder of worktrees, it is no longer ours. */
export async function findWorktreePath({ files }: Host, { path, git }: AgentWorktree): Promise<string | undefined> {
  if (git === undefined) return undefined;
  try {
    const named = (await files.read(join(git.own, 'gitdir'))).toString('utf8').trim();
    const place = await files.realpath(join(named, '..'));
    const isOurs = isWithin(join(path, '..'), place) && place !== join(path, '..');
    return isOurs && (await files.stat(place))?.kind === 'folder' ? place : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Why it can't be reopened. It is gone only if its folder or git's registration is: one that exists but can't be read
 * still holds work, and its agent must not continue in the parent's files instead.
 */
export async function explainMissing({ files }: Host, { path, git }: AgentWorktree, isRepository: boolean) {
  const isThere = async (place: string) => (await files.stat(place).catch(() => undefined))?.kind === 'folder';
  const gone = !(await isThere(path)) || git === undefined || !(await isThere(git.own));
  const what = isRepository ? "git's registration of it is damaged" : "git can't read its repository";
  if (!gone) return { ok: false, gone, reason: `${path} is there, but ${what}` } as const;
  const reason = isRepository
    ? `${path} is not there, or no longer the worktree it was`
    : `the repository of ${path} is not there`;
  return { ok: false, gone, reason } as const;
}

/** Records its new path, where it is found and removed from now on. */
export async function noteMove(host: Host, { commonDir }: Checkout, name: string, path: string): Promise<void> {
  const records = openRecords(host, commonDir);
  await withRepositoryLock(host, commonDir, async () => {
    const record = await records.read(name);
    if (record !== undefined && record.path !== path) await records.write({ ...record, path });
  });
}

/**
 * A checkout of its repository to work from: the worktree itself, and the checkout it was created from, may be gone.
 */
export async function checkoutOf(
  { host, trusted }: Machine,
  { path, from, git }: AgentWorktree,
): Promise<Checkout | undefined> {
  for (const folder of [from, host.folder, path]) {
    const found = await findCheckout(host, folder, { trusted }).catch(() => undefined);
    if (found?.ok && found.checkout.commonDir === git?.common) return found.checkout;
  }
  return undefined;
}

export function describeRecord({ commonDir }: Pick<Checkout, 'commonDir'>, record: WorktreeRecord): AgentWorktree {
  const { name, path, branch, from, gitDir, sparse, placed } = record;
  const links = placed.flatMap((one) => (one.kind === 'link' ? [resolve(path, dirname(one.path), one.target)] : []));
  return {
    name,
    path,
    branch,
    from,
    ...(gitDir === undefined ? {} : { git: { own: gitDir, common: commonDir } }),
    ...(links.length === 0 ? {} : { links }),
    ...(sparse === undefined ? {} : { sparse }),
  };
}
