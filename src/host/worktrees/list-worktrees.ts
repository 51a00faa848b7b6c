/** Lists our worktrees of a repository, with their work, owner and age (WT-12). */

import { reasonOf } from '../../protocol/reason-of.js';
import type { Checkout } from '../git/checkout.js';
import type { Host } from '../host.js';
import { inspectLock } from '../locks/lock.js';
import { type CurrentFolder, currentFolder } from './apply/find-worktree.js';
import { openRecords, useLock, type WorktreeOwner, type WorktreeRecord } from './worktree-record.js';

export type WorktreeView = {
  readonly name: string;
  /** Its current folder. */
  readonly path: string;
  readonly branch: string;
  /** `half-made`: cut off while it was made or removed. `moved`: someone moved its folder. */
  readonly state: 'in-use' | 'kept' | 'gone' | 'half-made' | 'moved';
  /** Beyond its start. */
  readonly commits: number;
  /** Files that differ from its start: committed, uncommitted and new. */
  readonly changedFiles: number;
  readonly owner: WorktreeOwner;
  readonly isOwnerAlive: boolean;
  readonly created: string;
  readonly usedAt: string;
  readonly base: string;
  readonly start: string;
  readonly madeBy: 'git' | 'hook';
  /** For people: what could not be inspected, and the like. */
  readonly notes: readonly string[];
};

export type WorktreeList = {
  readonly worktrees: readonly WorktreeView[];
  /** Records that can't be read. */
  readonly problems: readonly string[];
};

/** In order of creation. Never rejects: failures become notes. */
export async function listWorktrees(host: Host, checkout: Checkout): Promise<WorktreeList> {
  try {
    const { records, problems } = await openRecords(host, checkout.commonDir).list();
    const worktrees: WorktreeView[] = [];
    for (const record of records) worktrees.push(await viewOf(host, checkout, record));
    return { worktrees, problems };
  } catch (error) {
    return { worktrees: [], problems: [reasonOf(error)] };
  }
}

async function viewOf(host: Host, checkout: Checkout, record: WorktreeRecord): Promise<WorktreeView> {
  const { name, branch, owner, created, base, start, madeBy, path } = record;
  const isOwnerAlive = (await inspectLock(host, useLock(checkout.commonDir, name))) !== 'free';
  const used = await openRecords(host, checkout.commonDir)
    .usedAt(name)
    .catch(() => 0);
  const known = { name, branch, owner, isOwnerAlive, created, base, start, madeBy };
  const usedAt = used === 0 ? created : new Date(used).toISOString();
  if (madeBy === 'hook') {
    const isThere = (await host.files.stat(path).catch(() => undefined)) !== undefined;
    const state = isOwnerAlive ? 'in-use' : isThere ? 'kept' : 'gone';
    return { ...known, path, usedAt, state, commits: 0, changedFiles: 0, notes: ['made by a WorktreeCreate hook'] };
  }
  const place = await currentFolder(host, checkout, record).catch(
    (error): CurrentFolder => ({ kind: 'unusable', reason: reasonOf(error) }),
  );
  const state = stateOf(record, place, isOwnerAlive);
  const at = place.kind === 'there' ? place.checkout.top : path;
  const held = place.kind === 'there' ? await heldIn(place.checkout, record) : await heldByBranch(checkout, record);
  const notes = [...held.notes, ...(place.kind === 'unusable' ? [place.reason] : [])];
  return { ...known, path: at, usedAt, state, ...held, notes };
}

function stateOf({ stage }: WorktreeRecord, place: CurrentFolder, isOwnerAlive: boolean): WorktreeView['state'] {
  if (isOwnerAlive) return 'in-use';
  if (stage !== 'made') return 'half-made';
  if (place.kind === 'gone') return 'gone';
  return place.kind === 'there' && place.isMoved ? 'moved' : 'kept';
}

type Held = Pick<WorktreeView, 'commits' | 'changedFiles' | 'notes'>;

async function heldIn({ git }: Checkout, { start, placed, branch }: WorktreeRecord): Promise<Held> {
  const [commits, changed, others] = await Promise.all([
    git(['rev-list', '--count', 'HEAD', `refs/heads/${branch}`, '--not', start]),
    git(['diff', '--name-only', '--no-ext-diff', '--no-renames', '-z', start]),
    git(['ls-files', '--others', '--exclude-standard', '-z']),
  ]);
  const ours = new Set(placed.map(({ path }) => path));
  const names = (text: string) => text.split('\0').filter((path) => path !== '' && !ours.has(path));
  const failed = [commits, changed, others].filter(({ ok }) => !ok).map(({ reason }) => reason);
  return {
    commits: commits.ok ? Number(commits.text) : 0,
    changedFiles: new Set([...names(changed.text), ...names(others.text)]).size,
    notes: failed.map((reason) => `it could not be inspected completely: ${reason}`),
  };
}

async function heldByBranch({ git }: Checkout, { start, branch }: WorktreeRecord): Promise<Held> {
  const ref = `refs/heads/${branch}`;
  if (!(await git(['rev-parse', '--verify', '--quiet', ref])).ok) {
    return { commits: 0, changedFiles: 0, notes: ['its branch is gone, too'] };
  }
  const commits = await git(['rev-list', '--count', ref, '--not', start]);
  const changed = await git(['diff', '--name-only', '--no-ext-diff', '--no-renames', '-z', start, ref]);
  const count = changed.text.split('\0').filter((path) => path !== '').length;
  return { commits: commits.ok ? Number(commits.text) : 0, changedFiles: count, notes: [] };
}
