/** The steps of a removal, under the repository's lock. After each of them, the next start can continue (WT-14). */

import { join } from 'node:path';
import type { Checkout } from '../git/checkout.js';
import type { GitRun } from '../git/git.js';
import type { Host } from '../host.js';
import { unlockOwn } from './git-lock.js';
import type { Located } from './locate-worktree.js';
import { describeChange } from './work/placed-work.js';
import { openRecords, type Placed, type WorktreeRecord } from './worktree-record.js';

export type Removal =
  | { readonly kind: 'removed' }
  /** For people: why. */
  | { readonly kind: 'kept'; readonly reasons: readonly string[] }
  /** Its folder did not exist. `note`: what is left of it, and what to do. */
  | { readonly kind: 'gone'; readonly note?: string };

export type RemovalRequest = {
  readonly record: WorktreeRecord;
  readonly located: Located;
  readonly tip: string | undefined;
  readonly isDiscarded: boolean;
};

export async function runRemoval(host: Host, checkout: Checkout, request: RemovalRequest): Promise<Removal> {
  const { record, located } = request;
  const records = openRecords(host, checkout.commonDir);
  const gitDir = 'gitDir' in located ? located.gitDir : record.gitDir;
  await records.write({ ...record, ...(gitDir === undefined ? {} : { gitDir }), stage: 'removing' });
  const refused = await removeFolder(host, checkout, request);
  if (refused !== undefined) return refused;
  const stays = await removeBranch(host, checkout, request);
  if (stays !== undefined) {
    await records.write(record);
    return { kind: 'kept', reasons: [stays] };
  }
  await records.drop(record.name);
  const wasGone = located.kind === 'nothing' || located.kind === 'missing';
  return wasGone && record.stage === 'made' ? { kind: 'gone' } : { kind: 'removed' };
}

/** Removes the folder and git's registration. Undefined: both are gone. */
async function removeFolder(host: Host, checkout: Checkout, request: RemovalRequest): Promise<Removal | undefined> {
  const { record, located } = request;
  switch (located.kind) {
    case 'nothing':
      return undefined;
    case 'damaged':
      return { kind: 'kept', reasons: [located.reason] };
    case 'unregistered':
      await host.files.removeFolder(located.path);
      return undefined;
    case 'missing': {
      if (located.folder === 'empty') await host.files.removeFolder(record.path);
      // Git was killed half-way: this lets it find its registration again.
      if (!located.isListed) await host.files.replace(join(located.gitDir, 'gitdir'), `${join(record.path, '.git')}\n`);
      return removeWithGit(host, checkout, request, { path: record.path, gitDir: located.gitDir, force: true });
    }
    case 'here':
    case 'moved': {
      const { path, gitDir } = located;
      const isHalf = record.stage !== 'made';
      if (located.kind === 'here' && isHalf) await prepareHalfMade(host, located);
      const links = await unlinkPlaced(host, path, record);
      return removeWithGit(host, checkout, request, {
        path,
        gitDir,
        force: isHalf || request.isDiscarded,
        unlinked: links,
      });
    }
  }
}

/** Git removes a folder only by its `.git` file, or if it does not exist at all. */
async function prepareHalfMade(host: Host, { path, gitDir, link }: Extract<Located, { kind: 'here' }>): Promise<void> {
  const names = (await host.files.list(path)).map(({ name }) => name);
  if (names.every((name) => name === '.git')) {
    await host.files.remove(join(path, '.git'));
    await host.files.removeFolder(path);
  } else if (link === 'none') await host.files.create(join(path, '.git'), `gitdir: ${gitDir}\n`, 0o644);
}

type PlacedLink = Extract<Placed, { readonly kind: 'link' }>;

/** Removes our links, which may not be ignored: git would treat them as untracked files. */
async function unlinkPlaced(host: Host, path: string, { placed }: WorktreeRecord): Promise<readonly PlacedLink[]> {
  const unlinked: PlacedLink[] = [];
  for (const one of placed) {
    if (one.kind !== 'link' || (await describeChange(host, path, one)) !== undefined) continue;
    await host.files.remove(join(path, one.path));
    unlinked.push(one);
  }
  return unlinked;
}

type GitRemoval = {
  readonly path: string;
  readonly gitDir: string;
  readonly force: boolean;
  readonly unlinked?: readonly PlacedLink[];
};

async function removeWithGit(
  host: Host,
  checkout: Checkout,
  { record }: RemovalRequest,
  { path, gitDir, force, unlinked = [] }: GitRemoval,
): Promise<Removal | undefined> {
  const { git, commonDir } = checkout;
  const locked = await unlockOwn(host, git, { path, gitDir });
  if (locked !== undefined) return restore(`it is locked by somebody else (${locked})`);
  const removed = await git(['worktree', 'remove', ...(force ? ['--force'] : []), '--', path]);
  if (removed.ok) return undefined;
  return (await isUntouched(host, gitDir, removed))
    ? restore(`git does not remove it: ${removed.reason}`)
    : keep(removed);

  /** Nothing was removed: restores the links and the record. */
  async function restore(reason: string): Promise<Removal> {
    for (const link of unlinked) await host.files.makeLink(link.target, join(path, link.path));
    await openRecords(host, commonDir).write({ ...record, gitDir });
    return { kind: 'kept', reasons: [reason] };
  }

  function keep({ reason }: GitRun): Removal {
    return { kind: 'kept', reasons: [`git could not remove all of ${path}: ${reason}`] };
  }
}

/** Git's exit code when it refuses before doing anything. */
const REFUSED = 128;

async function isUntouched(host: Host, gitDir: string, { code }: GitRun): Promise<boolean> {
  return code === REFUSED && (await host.files.stat(gitDir)) !== undefined;
}

/** Undefined: it is gone, or checked out elsewhere by now. */
async function removeBranch(host: Host, checkout: Checkout, request: RemovalRequest): Promise<string | undefined> {
  const { record, tip } = request;
  const { git, commonDir } = checkout;
  // Left by a git that was killed with our process. No other git uses it, which was checked.
  if (record.stage !== 'made') await host.files.remove(join(commonDir, 'refs', 'heads', `${record.branch}.lock`));
  const ref = `refs/heads/${record.branch}`;
  const listed = await git(['for-each-ref', '--format=%(objectname) %(worktreepath)', ref]);
  if (!listed.ok) return `its branch ${record.branch} could not be removed: ${listed.reason}`;
  if (listed.text === '') return undefined;
  const [now = '', elsewhere = ''] = listed.text.split(' ');
  if (tip === undefined || tip !== now) return `its branch ${record.branch} was moved since it was checked`;
  if (elsewhere !== '') return undefined;
  const removed = await git(['update-ref', '-d', ref, tip]);
  return removed.ok ? undefined : `its branch ${record.branch} could not be removed: ${removed.reason}`;
}
