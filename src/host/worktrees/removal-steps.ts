/** The steps of a removal, in the repository's turn. Each leaves a state from which the next start can go on (WT-14). */

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
  /** Its folder was not there. `note`: what is left of it nevertheless, and what to do. */
  | { readonly kind: 'gone'; readonly note?: string };

export type RemovalRequest = {
  readonly record: WorktreeRecord;
  readonly located: Located;
  readonly tip: string | undefined;
  readonly isDiscarded: boolean;
};

export async function runRemoval(host: Host, checkout: Checkout, taking: RemovalRequest): Promise<Removal> {
  const { record, located } = taking;
  const records = openRecords(host, checkout.commonDir);
  const gitDir = 'gitDir' in located ? located.gitDir : record.gitDir;
  await records.write({ ...record, ...(gitDir === undefined ? {} : { gitDir }), stage: 'removing' });
  const refused = await takeFolder(host, checkout, taking);
  if (refused !== undefined) return refused;
  const stays = await takeBranch(host, checkout, taking);
  if (stays !== undefined) {
    await records.write(record);
    return { kind: 'kept', reasons: [stays] };
  }
  await records.drop(record.name);
  const wasGone = located.kind === 'nothing' || located.kind === 'missing';
  return wasGone && record.stage === 'made' ? { kind: 'gone' } : { kind: 'removed' };
}

/** The folder and git's registration. Undefined: both are gone. */
async function takeFolder(host: Host, checkout: Checkout, taking: RemovalRequest): Promise<Removal | undefined> {
  const { record, located } = taking;
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
      // Git was killed in the middle: with this, it finds its registration again.
      if (!located.isListed) await host.files.replace(join(located.gitDir, 'gitdir'), `${join(record.path, '.git')}\n`);
      return askGit(host, checkout, taking, { path: record.path, gitDir: located.gitDir, force: true });
    }
    case 'here':
    case 'moved': {
      const { path, gitDir } = located;
      const isHalf = record.stage !== 'made';
      if (located.kind === 'here' && isHalf) await prepareHalfMade(host, located);
      const links = await unlinkPlaced(host, path, record);
      return askGit(host, checkout, taking, { path, gitDir, force: isHalf || taking.isDiscarded, unlinked: links });
    }
  }
}

/** Git removes a folder only by its `.git` file, or one that is not there at all. */
async function prepareHalfMade(host: Host, { path, gitDir, link }: Extract<Located, { kind: 'here' }>): Promise<void> {
  const names = (await host.files.list(path)).map(({ name }) => name);
  if (names.every((name) => name === '.git')) {
    await host.files.remove(join(path, '.git'));
    await host.files.removeFolder(path);
  } else if (link === 'none') await host.files.create(join(path, '.git'), `gitdir: ${gitDir}\n`, 0o644);
}

type PlacedLink = Extract<Placed, { readonly kind: 'link' }>;

/** Links need not be ignored: git would take them for untracked files. */
async function unlinkPlaced(host: Host, path: string, { placed }: WorktreeRecord): Promise<readonly PlacedLink[]> {
  const unlinked: PlacedLink[] = [];
  for (const one of placed) {
    if (one.kind !== 'link' || (await describeChange(host, path, one)) !== undefined) continue;
    await host.files.remove(join(path, one.path));
    unlinked.push(one);
  }
  return unlinked;
}

type Asked = {
  readonly path: string;
  readonly gitDir: string;
  readonly force: boolean;
  readonly unlinked?: readonly PlacedLink[];
};

async function askGit(
  host: Host,
  checkout: Checkout,
  { record }: RemovalRequest,
  { path, gitDir, force, unlinked = [] }: Asked,
): Promise<Removal | undefined> {
  const { git, commonDir } = checkout;
  const locked = await unlockOwn(host, git, { path, gitDir });
  if (locked !== undefined) return giveBack(`it is locked by somebody else (${locked})`);
  const removed = await git(['worktree', 'remove', ...(force ? ['--force'] : []), '--', path]);
  if (removed.ok) return undefined;
  return (await isUntouched(host, gitDir, removed))
    ? giveBack(`git does not remove it: ${removed.reason}`)
    : keep(removed);

  /** Nothing of it was removed: it goes on as it was, with its links. */
  async function giveBack(reason: string): Promise<Removal> {
    for (const link of unlinked) await host.files.makeLink(link.target, join(path, link.path));
    await openRecords(host, commonDir).write({ ...record, gitDir });
    return { kind: 'kept', reasons: [reason] };
  }

  function keep({ reason }: GitRun): Removal {
    return { kind: 'kept', reasons: [`git could not remove all of ${path}: ${reason}`] };
  }
}

/** How git ends when it refuses before it does anything. */
const REFUSED = 128;

async function isUntouched(host: Host, gitDir: string, { code }: GitRun): Promise<boolean> {
  return code === REFUSED && (await host.files.stat(gitDir)) !== undefined;
}

/** Undefined: it is gone, or somebody else works on it by now. */
async function takeBranch(host: Host, checkout: Checkout, taking: RemovalRequest): Promise<string | undefined> {
  const { record, tip } = taking;
  const { git, commonDir } = checkout;
  // A git of ours that was killed with its process left this. That none is at it was looked at.
  if (record.stage !== 'made') await host.files.remove(join(commonDir, 'refs', 'heads', `${record.branch}.lock`));
  const ref = `refs/heads/${record.branch}`;
  const listed = await git(['for-each-ref', '--format=%(objectname) %(worktreepath)', ref]);
  if (!listed.ok) return `its branch ${record.branch} could not be removed: ${listed.reason}`;
  if (listed.text === '') return undefined;
  const [now = '', elsewhere = ''] = listed.text.split(' ');
  if (tip === undefined || tip !== now) return `its branch ${record.branch} was moved since it was looked at`;
  if (elsewhere !== '') return undefined;
  const removed = await git(['update-ref', '-d', ref, tip]);
  return removed.ok ? undefined : `its branch ${record.branch} could not be removed: ${removed.reason}`;
}
