/**
 * Makes a worktree: a checkout of its own on a branch of its own (WT-1, WT-2). What is asked for is checked before
 * anything is made; the record is written first; and what fails on the way is undone, so that nothing is left.
 */

import { join } from 'node:path';
import { reasonOf } from '../../protocol/reason-of.js';
import type { Checkout } from '../git/checkout.js';
import { openGit } from '../git/git.js';
import type { Host } from '../host.js';
import { type Lock, takeLock } from '../lock.js';
import { checkRepository } from './check-repository.js';
import { inRepository } from './in-repository.js';
import { layOverlay } from './lay-overlay.js';
import { findPlace, openPlace, type Place } from './place-worktree.js';
import { undoWorktree } from './undo-worktree.js';
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
  /** Whether it begins with the checkout's uncommitted changes. */
  readonly includeDirty: boolean;
  /** Most bytes of uncommitted changes, and most of copied ignored files. */
  readonly maxOverlayBytes: number;
  /** Only these paths are checked out; empty: all. */
  readonly sparsePaths: readonly string[];
  /** Folders that are linked instead of made again. */
  readonly symlinkDirectories: readonly string[];
  readonly signal?: AbortSignal;
};

/** `use` is held by the caller from now on. `notes`: what was left out or done otherwise, for people. */
export type Made =
  | { readonly ok: true; readonly record: WorktreeRecord; readonly use: Lock; readonly notes: readonly string[] }
  | { readonly ok: false; readonly reason: string };

/** Never rejects. */
export async function makeWorktree(host: Host, checkout: Checkout, request: MakeRequest): Promise<Made> {
  try {
    const repository = await checkRepository(checkout, request.name);
    if (!repository.ok) return repository;
    const place = await findPlace(host, checkout, request.name);
    if (!place.ok) return place;
    const overlay = request.includeDirty
      ? await layOverlay(host, checkout, repository.base, request)
      : { ok: true as const, start: repository.base };
    if (!overlay.ok) return overlay;
    if (request.signal?.aborted) return aborted();
    const record: WorktreeRecord = {
      v: 1,
      name: request.name,
      path: place.path,
      branch: branchOf(request.name),
      base: repository.base,
      start: overlay.start,
      madeBy: 'git',
      stage: 'making',
      created: new Date(host.clock.now()).toISOString(),
      owner: request.owner,
      from: checkout.top,
      placed: [],
      stashes: repository.stashes,
    };
    return await makeRecorded(host, checkout, { request, place, record });
  } catch (error) {
    return { ok: false, reason: `the worktree ${request.name} can't be made: ${reasonOf(error)}` };
  }
}

type Making = { readonly request: MakeRequest; readonly place: Place; readonly record: WorktreeRecord };

async function makeRecorded(host: Host, checkout: Checkout, making: Making): Promise<Made> {
  const registered = await inRepository(host, checkout.commonDir, () => register(host, checkout, making));
  if (!registered.ok) return registered;
  if (!registered.value.ok) return registered.value;
  const { use } = registered.value;
  const failed = async (reason: string): Promise<Made> => ({
    ok: false,
    reason: await undoWorktree(host, checkout, { ...making, use, reason }),
  });
  try {
    const filled = await fill(host, checkout, making);
    if (!filled.ok) return await failed(filled.reason);
    const record = { ...making.record, gitDir: filled.gitDir, stage: 'made' as const };
    if (making.request.signal?.aborted) return await failed(aborted().reason);
    await openRecords(host, checkout.commonDir).write(record);
    return { ok: true, record, use, notes: [] };
  } catch (error) {
    return failed(reasonOf(error));
  }
}

type Registered = { readonly ok: true; readonly use: Lock } | { readonly ok: false; readonly reason: string };

/** In the repository's turn: the record, the branch and git's registration, without files. */
async function register(host: Host, checkout: Checkout, making: Making): Promise<Registered> {
  const { request, record, place } = making;
  const { git, commonDir } = checkout;
  if (request.signal?.aborted) return aborted();
  await host.files.makeFolder(recordsFolder(commonDir), 0o700);
  const taken = await takeLock(host, useLock(commonDir, record.name));
  if (!taken.ok) return { ok: false, reason: `the worktree ${record.name} is in use: ${taken.reason}` };
  const use = taken.lock;
  let isStarted = false;
  try {
    const again = await findPlace(host, checkout, record.name);
    if (!again.ok) {
      await use.release();
      return again;
    }
    isStarted = true;
    await openRecords(host, commonDir).write(record);
    await openPlace(host, place);
    const branch = await git([
      'update-ref',
      '-m',
      'coppice: worktree',
      `refs/heads/${record.branch}`,
      record.start,
      '',
    ]);
    if (!branch.ok) throw new Error(branch.reason);
    const lock = ['--lock', '--reason', lockReason(record.owner)];
    const added = await git(['worktree', 'add', '--quiet', '--no-checkout', ...lock, '--', record.path, record.branch]);
    if (!added.ok) throw new Error(added.reason);
    return { ok: true, use };
  } catch (error) {
    const reason = reasonOf(error);
    if (isStarted) return { ok: false, reason: await undoWorktree(host, checkout, { ...making, use, reason }) };
    await use.release();
    return { ok: false, reason };
  }
}

type Filled = { readonly ok: true; readonly gitDir: string } | { readonly ok: false; readonly reason: string };

async function fill(host: Host, checkout: Checkout, { record, request }: Making): Promise<Filled> {
  const pointer = (await host.files.read(join(record.path, '.git'))).toString('utf8');
  const gitDir = await host.files.realpath(pointer.replace(/^gitdir: /, '').replace(/\n$/, ''));
  // Asked again there: what git is configured to run may depend on the folder and the branch.
  const git = await openGit(host, record.path, checkout);
  const signal = request.signal === undefined ? {} : { signal: request.signal };
  const written = await git(['reset', '--hard', '--quiet', '--no-recurse-submodules'], signal);
  if (request.signal?.aborted) return aborted();
  return written.ok ? { ok: true, gitDir } : { ok: false, reason: written.reason };
}

function aborted() {
  return { ok: false as const, reason: 'it was cancelled' };
}
