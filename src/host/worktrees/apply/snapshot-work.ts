/** An agent's work as a tree: its commits, its uncommitted changes and its new files together. */

import { fail, type Result } from '../../../protocol/result.js';
import type { Checkout } from '../../git/checkout.js';
import { takeSnapshot } from '../../git/snapshot.js';
import type { Host } from '../../host.js';
import { describeChange } from '../work/placed-work.js';
import type { Placed, WorktreeRecord } from '../worktree-record.js';
import { currentFolder } from './find-worktree.js';
import { operationInProgress } from './operation-in-progress.js';

export type WorkSnapshot = Result<{ readonly tree: string; readonly notes: readonly string[] }>;

/** The current state, even if the agent is still running. If the folder is gone, the state of its branch. */
export async function snapshotWork(host: Host, checkout: Checkout, record: WorktreeRecord): Promise<WorkSnapshot> {
  if (record.madeBy === 'hook') {
    return fail(
      `worktree ${record.name} was made by a WorktreeCreate hook (${record.path}): use its own version control to get its work`,
    );
  }
  if (record.stage === 'making') return fail(`worktree ${record.name} was never completed, so it contains no work`);
  const place = await currentFolder(host, checkout, record);
  if (place.kind === 'gone') return takeBranch(checkout, record, place.reason);
  if (place.kind === 'unusable') return fail(place.reason);
  const own = place.checkout;
  const operation = await operationInProgress(host, own.gitDir);
  if (operation !== undefined) {
    return fail(`worktree ${record.name} is in the middle of ${operation}: finish or abort it in ${own.top} first`);
  }
  const tree = await snapshotOf(host, own, record);
  if (!tree.ok) return tree;
  return { ...tree, notes: [...(await describeOmitted(own, record)), ...(await branchAhead(own, record))] };
}

async function takeBranch({ git }: Checkout, { name, branch }: WorktreeRecord, reason: string): Promise<WorkSnapshot> {
  const tip = await git(['rev-parse', '--verify', '--quiet', `refs/heads/${branch}^{tree}`]);
  if (!tip.ok) return fail(`${reason}, and so is its branch ${branch}: there is no work left of ${name}`);
  return { ok: true, tree: tip.text, notes: [`${reason}: this is the state of its branch ${branch}`] };
}

async function snapshotOf(host: Host, own: Checkout, record: WorktreeRecord): Promise<WorkSnapshot> {
  for (let tried = 0; ; tried += 1) {
    const snapshot = await takeSnapshot(host, own);
    // A file may vanish between being listed and being read, while the agent works.
    if (!snapshot.ok && tried < SNAPSHOT_TRIES) continue;
    if (!snapshot.ok) return fail(`the files of worktree ${record.name} can't be read: ${snapshot.reason}`);
    try {
      return await withoutPlaced(host, own, record, snapshot);
    } finally {
      await snapshot.discard();
    }
  }
}

const SNAPSHOT_TRIES = 3;

/** A rule for folders (`node_modules/`) does not ignore a link to a folder: it would appear as a new file. */
async function withoutPlaced(
  host: Host,
  { git, top }: Checkout,
  { placed, start }: WorktreeRecord,
  { tree, index }: { readonly tree: string; readonly index: string },
): Promise<WorkSnapshot> {
  const untouched: string[] = [];
  for (const one of placed) if (await isAsPlaced(host, top, one)) untouched.push(one.path);
  if (untouched.length === 0) return { ok: true, tree, notes: [] };
  const listed = await git(['ls-tree', '-r', '-z', '--name-only', start, '--', ...untouched.map((path) => path)]);
  if (!listed.ok) return fail(listed.reason);
  const tracked = new Set(listed.text.split('\0'));
  const input = untouched.flatMap((path) => (tracked.has(path) ? [] : [`${path}\0`])).join('');
  const env = { GIT_INDEX_FILE: index };
  const removed = await git(['update-index', '--force-remove', '-z', '--stdin'], { env, input });
  const written = removed.ok ? await git(['write-tree'], { env }) : removed;
  return written.ok ? { ok: true, tree: written.text, notes: [] } : fail(written.reason);
}

/** A path that can't be inspected is assumed to have changed. */
function isAsPlaced(host: Host, top: string, placed: Placed): Promise<boolean> {
  return describeChange(host, top, placed).then(
    (change) => change === undefined,
    () => false,
  );
}

/** Nested repositories, which a tree can't contain. */
async function describeOmitted({ git }: Checkout, { name }: WorktreeRecord): Promise<readonly string[]> {
  const others = await git(['ls-files', '--others', '--exclude-standard', '-z']);
  const inner = others.text.split('\0').filter((path) => path.endsWith('/'));
  if (inner.length === 0) return [];
  return [`not included: ${inner.join(', ')} in worktree ${name} (a separate repository)`];
}

/** An agent that checked out something else leaves its commits on the branch. */
async function branchAhead({ git }: Checkout, { branch, start }: WorktreeRecord): Promise<readonly string[]> {
  const ahead = await git(['rev-list', '--count', `refs/heads/${branch}`, '--not', 'HEAD', start]);
  if (!ahead.ok || ahead.text === '0') return [];
  return [`not included: ${ahead.text} of the commits on ${branch}; the worktree has another commit checked out`];
}
