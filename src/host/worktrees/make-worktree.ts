/**
 * Makes a worktree: a separate checkout on its own branch (WT-1 to WT-3, WT-5). The request is checked before anything is
 * created; the record is written first; a failure undoes everything, so that nothing is left behind.
 */

import { join, sep } from 'node:path';
import { reasonOf } from '../../protocol/reason-of.js';
import type { Failure, Result } from '../../protocol/result.js';
import type { Checkout } from '../git/checkout.js';
import { openGit } from '../git/git.js';
import type { Host } from '../host.js';
import { type Lock, takeLock } from '../locks/lock.js';
import { checkRepository } from './making/check-repository.js';
import { commitUncommitted } from './making/commit-uncommitted.js';
import { addExcludeLines, WORKTREES_LINE } from './making/exclude-line.js';
import { type ExtrasPlan, placeExtras, planExtras } from './making/place-extras.js';
import { inheritedSparse, planSparse, type SparsePlan, setSparse } from './making/sparse-paths.js';
import { type PartialWorktree, undoWorktree } from './making/undo-worktree.js';
import { createLocation, findLocation, reasonTaken, type WorktreeLocation } from './making/worktree-location.js';
import { withRepositoryLock } from './repository-lock.js';
import {
  branchOf,
  lockReason,
  openRecords,
  recordsFolder,
  useLock,
  type WorktreeOwner,
  type WorktreeRecord,
} from './worktree-record.js';

export type MakeRequest = {
  readonly name: string;
  readonly owner: WorktreeOwner;
  /** True to start with the checkout's uncommitted changes. */
  readonly includeDirty: boolean;
  /** The limit for the uncommitted changes, and for the copied ignored files, in bytes. */
  readonly maxOverlayBytes: number;
  /** The only paths to check out; empty: all that the checkout has. */
  readonly sparsePaths: readonly string[];
  /** Folders to link instead of creating them. */
  readonly symlinkDirectories: readonly string[];
  readonly signal?: AbortSignal;
};

/** The caller holds the lock `use` from now on. `notes`: omissions and deviations, for people. */
export type Made = Result<{ readonly record: WorktreeRecord; readonly use: Lock; readonly notes: readonly string[] }>;

/** Never rejects. */
export async function makeWorktree(host: Host, checkout: Checkout, request: MakeRequest): Promise<Made> {
  try {
    const planned = await plan(host, checkout, request);
    return planned.ok ? await make(host, checkout, planned.plan) : planned;
  } catch (error) {
    return { ok: false, reason: `the worktree ${request.name} could not be created: ${reasonOf(error)}` };
  }
}

type Plan = {
  readonly request: MakeRequest;
  readonly place: WorktreeLocation;
  readonly record: WorktreeRecord;
  readonly sparse?: SparsePlan;
  readonly extras: ExtrasPlan;
  readonly notes: readonly string[];
};

type Planned = Result<{ readonly plan: Plan }>;

/** Collects everything that can be known before anything is created. The overlay's objects are unreferenced yet. */
async function plan(host: Host, checkout: Checkout, request: MakeRequest): Promise<Planned> {
  const { name, owner, signal } = request;
  const repository = await checkRepository(checkout, name);
  if (!repository.ok) return repository;
  const { base, stashes } = repository;
  const found = await findLocation(host, checkout, name);
  if (!found.ok) return found;
  const { place } = found;
  const extras = await planExtras(host, checkout, place.home, request);
  if (!extras.ok) return extras;
  const overlay = request.includeDirty ? await commitUncommitted(host, checkout, base, request) : undefined;
  if (signal?.aborted) return cancelled();
  if (overlay?.ok === false) return overlay;
  const start = overlay?.start ?? base;
  const sparse = await planSparse(checkout, start, request.sparsePaths);
  if (!sparse.ok) return sparse;
  const record: WorktreeRecord = {
    v: 1,
    name,
    path: place.path,
    branch: branchOf(name),
    base,
    start,
    madeBy: 'git',
    stage: 'making',
    created: new Date(host.clock.now()).toISOString(),
    owner,
    from: checkout.top,
    ...(sparse.plan === undefined ? {} : { sparse: sparse.plan.paths }),
    placed: [],
    stashes,
  };
  const more = sparse.plan === undefined ? {} : { sparse: sparse.plan };
  const notes = [...extras.notes, ...sparse.notes];
  return { ok: true, plan: { request, place, record, extras: extras.plan, notes, ...more } };
}

async function make(host: Host, checkout: Checkout, plan: Plan): Promise<Made> {
  const turn = await withRepositoryLock(host, checkout.commonDir, () => register(host, checkout, plan));
  if (!turn.ok) return turn;
  const registered = turn.value;
  if (!registered.ok) return registered;
  const { begun } = registered;
  try {
    const { record, notes } = await fill(host, checkout, plan, begun);
    return { ok: true, record, use: begun.use, notes: [...registered.notes, ...plan.notes, ...notes] };
  } catch (error) {
    const reason = plan.request.signal?.aborted ? cancelled().reason : reasonOf(error);
    const undone = await withRepositoryLock(host, checkout.commonDir, () =>
      undoWorktree(host, checkout, begun, reason),
    );
    if (undone.ok) return { ok: false, reason: undone.value };
    await begun.use.release();
    return { ok: false, reason: `${reason} (${plan.record.path} was left: ${undone.reason})` };
  }
}

type Registered = Result<{ readonly begun: PartialWorktree; readonly notes: readonly string[] }>;

/** Under the repository's lock: writes the record, the branch and git's registration, without files. */
async function register(host: Host, checkout: Checkout, plan: Plan): Promise<Registered> {
  const { request, record, place } = plan;
  const { git, commonDir } = checkout;
  if (request.signal?.aborted) return cancelled();
  // Checked again: another process may have been faster.
  const taken = await reasonTaken(host, checkout, { ...place, name: record.name });
  if (taken !== undefined) return { ok: false, reason: taken };
  await host.files.makeFolder(recordsFolder(commonDir), 0o700);
  const use = await takeLock(host, useLock(commonDir, record.name));
  if (!use.ok) return { ok: false, reason: `the worktree ${record.name} is in use: ${use.reason}` };
  const begun: PartialWorktree = { record, use: use.lock, folders: [], hasBranch: false, isAdded: false };
  try {
    await openRecords(host, commonDir).write(record);
    const note = place.isIgnored ? undefined : await addExcludeLines(host, commonDir, [WORKTREES_LINE]);
    begun.folders = await createLocation(host, place);
    // None of these can be cancelled half-way: each takes only a moment.
    const branch = await git([
      'update-ref',
      '-m',
      'coppice: worktree',
      `refs/heads/${record.branch}`,
      record.start,
      '',
    ]);
    // Without an exit code, git was killed, and it is unknown how far it got.
    begun.hasBranch = branch.ok || branch.code === null;
    if (!branch.ok) throw new Error(`the branch ${record.branch} could not be created: ${branch.reason}`);
    begun.isAdded = true;
    const lock = ['--lock', '--reason', lockReason(record.owner)];
    const added = await git(['worktree', 'add', '--quiet', '--no-checkout', ...lock, '--', record.path, record.branch]);
    if (!added.ok) throw new Error(`git can't make the worktree ${record.path}: ${added.reason}`);
    if (plan.sparse !== undefined) await setSparse(await openGit(host, record.path, checkout), plan.sparse);
    return { ok: true, begun, notes: note === undefined ? [] : [note] };
  } catch (error) {
    return { ok: false, reason: await undoWorktree(host, checkout, begun, reasonOf(error)) };
  }
}

/** Without the lock: writes the files. Throws with the reason. */
async function fill(host: Host, checkout: Checkout, plan: Plan, { record: begun }: PartialWorktree) {
  const { path } = begun;
  const signal = plan.request.signal === undefined ? {} : { signal: plan.request.signal };
  const records = openRecords(host, checkout.commonDir);
  const gitDir = await findGitDir(host, checkout, path);
  // Opened again: the programs that git is configured to run may depend on the folder and the branch.
  const git = await openGit(host, path, checkout);
  // Not `reset`: if killed, it would leave the lock of the branch behind, and the branch could not be removed.
  const written = await git(['read-tree', '--reset', '-u', '--no-recurse-submodules', 'HEAD'], signal);
  plan.request.signal?.throwIfAborted();
  if (!written.ok) throw new Error(`the files of ${path} can't be written: ${written.reason}`);
  const sparse = begun.sparse ?? (await inheritedSparse(host, git, gitDir));
  const whole: WorktreeRecord = { ...begun, gitDir, ...(sparse === undefined ? {} : { sparse }) };
  const extras = await placeExtras(host, {
    checkout,
    path,
    git,
    plan: plan.extras,
    request: plan.request,
    announce: (placed) => records.write({ ...whole, placed }),
  });
  plan.request.signal?.throwIfAborted();
  const record: WorktreeRecord = { ...whole, placed: extras.placed, stage: 'made' };
  await records.write(record);
  return { record, notes: extras.notes };
}

/** Returns git's own folder of the worktree, and checks that the worktree was made in the right place. */
async function findGitDir(host: Host, { commonDir }: Checkout, path: string): Promise<string> {
  const pointer = (await host.files.read(join(path, '.git'))).toString('utf8');
  const gitDir = await host.files.realpath(pointer.replace(/^gitdir: /, '').replace(/\n$/, ''));
  const isThere = (await host.files.realpath(path)) === path && gitDir.startsWith(join(commonDir, 'worktrees') + sep);
  if (!isThere) throw new Error(`${path} is not where git made the worktree`);
  return gitDir;
}

function cancelled(): Failure {
  return { ok: false, reason: 'it was cancelled' };
}
