/** Worktrees of sessions, created by git. Several sessions of one process may hold the same one (`/branch`). */

import { type Settings, settingOf } from '../../config/settings/settings-table.js';
import type { Checkout } from '../../host/git/checkout.js';
import type { Host } from '../../host/host.js';
import { makeWorktree } from '../../host/worktrees/make-worktree.js';
import { findLocation } from '../../host/worktrees/making/worktree-location.js';
import { removeWorktree } from '../../host/worktrees/remove-worktree.js';
import { WorktreeLeases } from '../../host/worktrees/worktree-leases.js';
import { openRecords, type WorktreeRecord } from '../../host/worktrees/worktree-record.js';
import { reasonOf } from '../../protocol/reason-of.js';
import type { Result } from '../../protocol/result.js';
import { HeldWorktree, type RemovalHook } from './session-worktree.js';
import type { TakenWorktree, WorktreeMaker } from './worktree-maker.js';

type Making = {
  readonly host: Host;
  readonly checkout: Checkout;
  readonly name: string;
  readonly settings: NonNullable<Settings['worktree']>;
};

export function worktreesByGit(making: Making): WorktreeMaker {
  const { host, checkout, name } = making;
  return {
    prefix: checkout.prefix,
    path: () => placeOf(host, checkout, name),
    take: (session) => take({ ...making, session }),
  };
}

/** The path where it is, or would be created. */
export async function placeOf(host: Host, checkout: Checkout, name: string) {
  const known = await readRecord(host, checkout, name);
  if (!known.ok) return known;
  if (known.record !== undefined) return { ok: true as const, path: known.record.path };
  const found = await findLocation(host, checkout, name);
  return found.ok ? { ok: true as const, path: found.place.path } : found;
}

/** True if one of that name exists and was created by git. */
export async function isMadeByGit(host: Host, checkout: Checkout, name: string): Promise<boolean> {
  const known = await readRecord(host, checkout, name);
  return known.ok && known.record?.madeBy === 'git';
}

type Request = Making & { /** The session that is to hold it. */ readonly session: string };

type Got = Result<{ readonly record: WorktreeRecord; readonly notes: readonly string[] }>;

type Shared = { readonly leases: WorktreeLeases; readonly removal: RemovalHook };

/** The worktrees held by sessions of this process. */
const heldHere = new Map<string, Shared>();

async function take(request: Request): Promise<TakenWorktree> {
  const { host, checkout, name, session } = request;
  const key = `${checkout.commonDir}\0${name}`;
  const known = await readRecord(host, checkout, name);
  if (!known.ok) return known;
  const { record } = known;
  const held = heldHere.get(key);
  if (record !== undefined && held?.leases.join(checkout.commonDir, name, session)) {
    return { ok: true, worktree: hold(request, record, held, key), notes: [] };
  }
  const removal: RemovalHook = { beforeRemoval: async () => {} };
  const leases = new WorktreeLeases(host, { beforeRemoval: (path) => removal.beforeRemoval(path) });
  const got = record === undefined ? await make(request, leases) : await goOn(request, leases);
  if (!got.ok) return got;
  heldHere.set(key, { leases, removal });
  return { ok: true, worktree: hold(request, got.record, { leases, removal }, key), notes: got.notes };
}

function hold({ host, checkout, session }: Request, record: WorktreeRecord, shared: Shared, key: string) {
  const onFree = () => {
    if (heldHere.get(key)?.leases === shared.leases) heldHere.delete(key);
  };
  return new HeldWorktree({ host, checkout, record, ...shared, holder: session, onFree });
}

async function goOn(request: Request, leases: WorktreeLeases): Promise<Got> {
  const { host, checkout, name, session } = request;
  const opened = await leases.reopen(checkout, name, session);
  if (opened.ok) return { ok: true, record: opened.record, notes: [] };
  if (!opened.gone) return opened;
  // Its folder is gone. Remove what git still has of it, unless its branch has work or it may have been moved.
  const removal = await removeWorktree(host, checkout, name, {});
  if (removal.kind === 'kept') {
    const reasons = removal.reasons.join('; ');
    return {
      ok: false,
      reason: `${opened.reason}, and it has work (${reasons}): coppice worktree apply ${name} gets it`,
    };
  }
  if (removal.kind === 'gone' && removal.note !== undefined) return { ok: false, reason: removal.note };
  return make(request, leases);
}

async function make({ host, checkout, name, session, settings }: Request, leases: WorktreeLeases): Promise<Got> {
  const made = await makeWorktree(host, checkout, {
    name,
    owner: { session },
    includeDirty: settings.includeDirty ?? false,
    maxOverlayBytes: settingOf({ worktree: settings }, 'worktree.maxOverlayBytes'),
    sparsePaths: settings.sparsePaths ?? [],
    symlinkDirectories: settings.symlinkDirectories ?? [],
  });
  if (!made.ok) return made;
  leases.adopt(checkout, made, session);
  return { ok: true, record: made.record, notes: made.notes };
}

async function readRecord(
  host: Host,
  { commonDir }: Checkout,
  name: string,
): Promise<Result<{ readonly record: WorktreeRecord | undefined }>> {
  try {
    return { ok: true, record: await openRecords(host, commonDir).read(name) };
  } catch (error) {
    return { ok: false, reason: `${reasonOf(error)}. Choose another name` };
  }
}
