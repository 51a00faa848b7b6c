/**
 * Brings an agent's work from its worktree into another checkout (WT-12): a three-way merge whose base is the start of the
 * worktree. Either all of it arrives or nothing changes. The checkout's index is not touched: changes arrive unstaged, and
 * what was staged stays staged.
 */

import { join } from 'node:path';
import { plural } from '../../protocol/format-numbers.js';
import { reasonOf } from '../../protocol/reason-of.js';
import { type Failure, fail } from '../../protocol/result.js';
import type { Checkout } from '../git/checkout.js';
import { type Snapshot, takeSnapshot } from '../git/snapshot.js';
import type { Host } from '../host.js';
import { closeJournal, recoverUnderLock, rollBack, writeJournal } from './apply/apply-journal.js';
import { readWorktree } from './apply/find-worktree.js';
import { type Conflict, commitTree, type Merged, type MergeTrees, mergeWork } from './apply/merge-work.js';
import { operationInProgress } from './apply/operation-in-progress.js';
import { chooseFolder, placeFiles, removeEmptied, stageFiles } from './apply/place-files.js';
import { type Change, inspectTarget, planChanges, type Seen } from './apply/plan-changes.js';
import type { ApplyJournal } from './apply/read-journal.js';
import { snapshotWork } from './apply/snapshot-work.js';
import { withRepositoryLock } from './repository-lock.js';
import { openRecords, type WorktreeRecord } from './worktree-record.js';

export { recoverApplies } from './apply/apply-journal.js';
export type { Conflict } from './apply/merge-work.js';
export type { Change } from './apply/plan-changes.js';

export type Applied =
  | {
      readonly ok: true;
      /** Empty: there was nothing to apply. */
      readonly changed: readonly Change[];
      /** A ref with the previous state of the checkout. */
      readonly backup?: string;
      readonly notes: readonly string[];
    }
  | (Failure & { readonly conflicts?: readonly Conflict[] });

/** Never rejects. One at a time per repository. */
export async function applyWorktree(host: Host, target: Checkout, name: string): Promise<Applied> {
  try {
    const named = await readWorktree(host, target.commonDir, name);
    if (!named.ok) return named;
    const done = await withRepositoryLock(host, target.commonDir, async () => {
      const { ok, lines } = await recoverUnderLock(host, target);
      if (!ok)
        return withLines(
          fail('nothing was changed, because an earlier apply was cut off and could not be undone:'),
          lines,
        );
      const found = await readWorktree(host, target.commonDir, name);
      const applied = found.ok ? await applyUnderLock(host, target, found.record) : found;
      return applied.ok ? { ...applied, notes: [...lines, ...applied.notes] } : withLines(applied, lines);
    });
    return done.ok ? done.value : done;
  } catch (error) {
    return { ok: false, reason: reasonOf(error) };
  }
}

function withLines<T extends { readonly reason: string }>(refusal: T, lines: readonly string[]): T {
  return lines.length === 0 ? refusal : { ...refusal, reason: [refusal.reason, ...lines].join('\n') };
}

async function applyUnderLock(host: Host, target: Checkout, record: WorktreeRecord): Promise<Applied> {
  const busy = await reasonBusy(host, target, record);
  if (busy !== undefined) return fail(busy);
  const work = await snapshotWork(host, target, record);
  if (!work.ok) return work;
  const base = await target.git(['rev-parse', '--verify', '--quiet', `${record.start}^{tree}`]);
  if (!base.ok) return fail(`the start of worktree ${record.name} (${record.start}) is no longer in the repository`);
  const snapshot = await takeSnapshot(host, target);
  if (!snapshot.ok) return snapshot;
  try {
    const trees = { base: base.text, ours: snapshot.tree, theirs: work.tree };
    const merged = await mergeOnto(target, trees, record);
    if (merged.kind === 'failed') return fail(merged.reason);
    if (merged.kind === 'conflicts') {
      const count = merged.conflicts.length;
      const reason = `${plural(count, 'file conflicts', 'files conflict')} with what is in ${target.top}: nothing was changed`;
      return { ok: false, reason, conflicts: merged.conflicts };
    }
    const plan = await planChanges(target, snapshot.tree, merged.tree);
    if (!plan.ok) return fail(`nothing was changed: ${plan.reason}`);
    if (plan.changes.length === 0) {
      await recordApplied(host, target, record, work.tree);
      return { ok: true, changed: [], notes: work.notes };
    }
    const inspected = await inspectTarget(host, target, snapshot.index, plan.changes);
    if (!inspected.ok) return fail(`nothing was changed: ${inspected.reason}`);
    const written = await writeChanges(host, target, record.name, snapshot, merged.tree, plan.changes, inspected.seen);
    if (!written.ok) return written;
    await recordApplied(host, target, record, work.tree);
    return { ...written, notes: [...work.notes, ...written.notes] };
  } finally {
    await snapshot.discard();
  }
}

/**
 * If part of the work was applied before, an agent that continued may change the same lines again: that conflicts with
 * the start of the worktree, but not with what was applied.
 */
async function mergeOnto(target: Checkout, trees: MergeTrees, { name, applied }: WorktreeRecord): Promise<Merged> {
  const merged = await mergeWork(target, trees, name);
  const earlier = applied?.[target.gitDir];
  if (merged.kind !== 'conflicts' || earlier === undefined) return merged;
  const found = await target.git(['rev-parse', '--verify', '--quiet', `${earlier}^{tree}`]);
  if (!found.ok) return merged;
  const again = await mergeWork(target, { ...trees, base: found.text }, name);
  return again.kind === 'clean' ? again : merged;
}

async function recordApplied(host: Host, { commonDir, gitDir }: Checkout, record: WorktreeRecord, tree: string) {
  if (record.applied?.[gitDir] === tree) return;
  // If this fails, the next apply shows a conflict: no reason to fail now.
  const changed = { ...record, applied: { ...record.applied, [gitDir]: tree } };
  await openRecords(host, commonDir)
    .write(changed)
    .catch(() => {});
}

async function reasonBusy(host: Host, { gitDir, top }: Checkout, record: WorktreeRecord): Promise<string | undefined> {
  if (record.gitDir === gitDir)
    return `${top} is that worktree itself: run this in the checkout that should get its work`;
  const operation = await operationInProgress(host, gitDir);
  if (operation !== undefined) return `${top} is in the middle of ${operation}: finish or abort it first`;
  if ((await host.files.lstat(join(gitDir, 'index.lock'))) === undefined) return undefined;
  return `another git is running in ${top}; if none is, remove ${join(gitDir, 'index.lock')}`;
}

async function writeChanges(
  host: Host,
  target: Checkout,
  name: string,
  { tree: from, index }: Extract<Snapshot, { ok: true }>,
  to: string,
  changes: readonly Change[],
  seen: Seen,
): Promise<Applied> {
  const { commonDir, top } = target;
  const id = host.newShortId();
  const folder = await chooseFolder(host, target, id);
  let journal: ApplyJournal = { v: 1, id, name, top, folder, index, stage: 'staging', steps: [], folders: [] };
  const note = async (next: Partial<ApplyJournal>) => {
    const changed = { ...journal, ...next };
    await writeJournal(host, commonDir, changed);
    journal = changed;
  };
  try {
    await note({});
    const staged = await stageFiles(host, target, folder, { from, to, index }, changes);
    if (!staged.ok) throw new Error(staged.reason);
    const backup = await nameBackup(host, target, name, from);
    await note({ stage: 'placing', steps: staged.steps, folders: staged.folders, backup });
    // The empty old value makes it fail if the ref exists.
    const kept = await target.git(['update-ref', '-m', 'coppice: before an apply', backup.ref, backup.commit, '']);
    if (!kept.ok) throw new Error(`no backup could be made: ${kept.reason}`);
    await placeFiles(host, journal, seen);
    await note({ stage: 'placed' });
    await removeEmptied(host.files, target, journal.steps);
    const notes = await closeJournal(host, commonDir, journal).then(
      () => [],
      (error) => [`${folder} could not be removed: ${reasonOf(error)}`],
    );
    return { ok: true, changed: changes, backup: backup.ref, notes };
  } catch (error) {
    return undone(host, target, journal, error);
  }
}

/** Restores everything after a failure half-way. */
async function undone(host: Host, target: Checkout, journal: ApplyJournal, error: unknown): Promise<Applied> {
  try {
    const { left } = await rollBack(host, target, journal);
    if (left.length === 0) return fail(`nothing was changed: ${reasonOf(error)}`);
    const where = journal.backup === undefined ? '' : ` (before: ${journal.backup.ref})`;
    return fail(
      `${reasonOf(error)}; everything was restored except files that were changed meanwhile: ${left.join(', ')}${where}`,
    );
  } catch (failure) {
    return fail(`${reasonOf(error)}; restoring the files failed (${reasonOf(failure)}); the next start tries again`);
  }
}

async function nameBackup(host: Host, { git }: Checkout, name: string, tree: string) {
  const head = await git(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
  const commit = await commitTree(git, tree, head.ok ? [head.text] : [], `Before work of worktree ${name} was applied`);
  const time = new Date(host.clock.now()).toISOString().replace(/[-:]|\.\d+Z$/g, '');
  for (let more = 1; ; more += 1) {
    const ref = `refs/coppice/backup/${name}-${time}${more === 1 ? '' : `-${more}`}`;
    const taken = await git(['rev-parse', '--verify', '--quiet', ref]);
    if (!taken.ok) return { ref, commit };
  }
}
