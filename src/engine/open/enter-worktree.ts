/**
 * `--worktree [name]` (WT-10): makes the worktree that a session works in, or goes on with the one of that name. What is
 * wrong with the name, the repository or the worktree is told before anything is made.
 */

import { isAbsolute, join, resolve } from 'node:path';
import { findRepoRoot } from '../../config/find-repo-root.js';
import type { Settings } from '../../config/settings/settings-schema.js';
import { type Checkout, findCheckout } from '../../host/git/checkout.js';
import type { Host } from '../../host/host.js';
import { makeWorktree } from '../../host/worktrees/make-worktree.js';
import { findPlace } from '../../host/worktrees/making/place-worktree.js';
import { removeWorktree } from '../../host/worktrees/remove-worktree.js';
import { WorktreeLeases } from '../../host/worktrees/worktree-leases.js';
import { isWorktreeName, NAME_RULE, openRecords, type WorktreeRecord } from '../../host/worktrees/worktree-record.js';
import { reasonOf } from '../../protocol/reason-of.js';
import type { Resources } from '../resources.js';
import type { OpenFailure, SessionOptions } from '../session-options.js';
import { HeldWorktree, type Removing } from '../session-worktree.js';
import { findSession } from './find-session.js';
import { type FoundFolder, readConfig } from './read-config.js';

type Folder = Extract<FoundFolder, { readonly ok: true }>;

export type Entered = {
  readonly ok: true;
  readonly worktree: HeldWorktree;
  /** The folder in it. */
  readonly found: Folder;
  /** What the person gave, with paths as they meant them where they are. */
  readonly options: SessionOptions;
  /** Things to know, a line each. */
  readonly notes: readonly string[];
};

/** The worktree is one of the `resources`: if the session can't be opened, it is removed again, unless work is in it. */
export async function enterWorktree(
  options: SessionOptions,
  found: Folder,
  resources: Resources,
): Promise<Entered | OpenFailure> {
  const name = options.worktree === true ? `session-${found.host.newShortId().slice(0, 8)}` : (options.worktree ?? '');
  const mistake = findMistake(options, name);
  if (mistake !== undefined) return refuse(mistake);
  // Its settings say how worktrees are made here.
  const config = await readConfig(options, found.host, found.repoRoot ?? found.folder);
  if (!config.ok) return config;
  const { host, trusted } = config;
  const place = await findCheckout(host, found.folder, { trusted });
  if (!place.ok) return refuse(place.reason);
  const { checkout } = place;
  const session = await sessionFor(options, host, checkout, name);
  if (!session.ok) return session;
  const settings = config.settings.settings.worktree ?? {};
  const removal: Removing = { tell: async () => {} };
  const taken = await take({ host, checkout, name, session: session.id, settings, removal });
  if (!taken.ok) return refuse(taken.reason);
  const { record, leases } = taken;
  const worktree = new HeldWorktree({ host, checkout, record, leases, removal, holder: session.id });
  resources.add('the worktree', () => leave(worktree, leases));
  const folder = await folderIn(host, record.path, checkout.prefix);
  const notes = [
    ...taken.notes,
    ...(folder.isThere ? [] : [`${checkout.prefix} is not in the worktree, so the session works at its top`]),
  ];
  const here = found.host.at(folder.path);
  const repoRoot = await findRepoRoot(here, folder.path);
  const given = fromWhereItWasGiven(options, found.folder);
  return {
    ok: true,
    worktree,
    found: { ok: true, host: here, folder: folder.path, repoRoot },
    options: options.resume === undefined ? { ...given, sessionId: session.id } : given,
    notes,
  };
}

function findMistake({ worktree, resume }: SessionOptions, name: string): string | undefined {
  if (!isWorktreeName(name)) return describeBadName(name);
  if (resume !== undefined && worktree === true) {
    return '--continue and --resume need the name of the worktree: --worktree NAME (coppice worktree list shows them)';
  }
  return undefined;
}

function describeBadName(name: string): string {
  const prompt = /\s/.test(name) ? '. If it is a prompt, put it first: coppice "…" --worktree' : '';
  return `--worktree ${JSON.stringify(name)} is not a name for a worktree: ${NAME_RULE}${prompt}`;
}

/** Who is to own it. A session to go on with is looked for first: nothing is made for one that is not there. */
async function sessionFor(
  { resume, branch, sessionId }: SessionOptions,
  host: Host,
  checkout: Checkout,
  name: string,
): Promise<{ readonly ok: true; readonly id: string } | OpenFailure> {
  const isNew = resume === undefined || branch === true;
  if (resume === undefined) return { ok: true, id: sessionId ?? host.newId() };
  const place = await placeOf(host, checkout, name);
  if (!place.ok) return refuse(place.reason);
  const folders = [...new Set([join(place.path, checkout.prefix), place.path])];
  let failed: OpenFailure | undefined;
  for (const folder of folders) {
    const session = await findSession(host, folder, resume);
    if (session.ok) return { ok: true, id: isNew ? (sessionId ?? host.newId()) : session.id };
    failed ??= session;
  }
  return failed ?? refuse(`there is no session ${resume}`);
}

async function leave(worktree: HeldWorktree, leases: WorktreeLeases): Promise<void> {
  await worktree.leave();
  if (worktree.left?.outcome === 'in-use') return;
  for (const [key, held] of heldHere) if (held === leases) heldHere.delete(key);
}

/** Where it is, or would be made. */
async function placeOf(host: Host, checkout: Checkout, name: string) {
  const record = await readRecord(host, checkout, name);
  if (!record.ok) return record;
  if (record.record !== undefined) return { ok: true as const, path: record.record.path };
  const found = await findPlace(host, checkout, name);
  return found.ok ? { ok: true as const, path: found.place.path } : found;
}

/** The folder of a worktree's sessions, whether it is there or not; the reason as a failure if it can't be one. */
export async function worktreeFolder(host: Host, name: string) {
  if (!isWorktreeName(name)) return { ok: false as const, reason: describeBadName(name) };
  const place = await findCheckout(host, host.folder, { trusted: false });
  if (!place.ok) return place;
  const { checkout } = place;
  const found = await placeOf(host, checkout, name);
  return found.ok ? { ok: true as const, path: join(found.path, checkout.prefix) } : found;
}

type Request = {
  readonly host: Host;
  readonly checkout: Checkout;
  readonly name: string;
  /** The session that is to hold it. */
  readonly session: string;
  readonly settings: NonNullable<Settings['worktree']>;
  readonly removal: Removing;
};

type Taken =
  | {
      readonly ok: true;
      readonly record: WorktreeRecord;
      readonly leases: WorktreeLeases;
      readonly notes: readonly string[];
    }
  | { readonly ok: false; readonly reason: string };

/** Those that sessions of this process hold: another session of it may join (`/branch`). */
const heldHere = new Map<string, WorktreeLeases>();

async function take(request: Request): Promise<Taken> {
  const { host, checkout, name, session } = request;
  const key = `${checkout.commonDir}\0${name}`;
  const record = await readRecord(host, checkout, name);
  if (!record.ok) return record;
  const shared = heldHere.get(key);
  if (shared?.join(checkout.commonDir, name, session) && record.record !== undefined) {
    return { ok: true, record: record.record, leases: shared, notes: [] };
  }
  const leases = new WorktreeLeases(host, { tellRemoval: (path) => request.removal.tell(path) });
  const taken = record.record === undefined ? await make(request, leases) : await goOn(request, leases);
  if (taken.ok) heldHere.set(key, leases);
  return taken;
}

async function goOn(request: Request, leases: WorktreeLeases): Promise<Taken> {
  const { host, checkout, name, session } = request;
  const opened = await leases.reopen(checkout, name, session);
  if (opened.ok) return { ok: true, record: opened.record, leases, notes: [] };
  if (!opened.gone) return opened;
  // Its folder is gone. What git still has of it is cleared away, unless its branch has work or it may have been moved.
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

async function make({ host, checkout, name, session, settings }: Request, leases: WorktreeLeases): Promise<Taken> {
  const made = await makeWorktree(host, checkout, {
    name,
    owner: { session },
    includeDirty: settings.includeDirty ?? false,
    maxOverlayBytes: settings.maxOverlayBytes ?? MAX_OVERLAY_BYTES,
    sparsePaths: settings.sparsePaths ?? [],
    symlinkDirectories: settings.symlinkDirectories ?? [],
  });
  if (!made.ok) return made;
  leases.adopt(checkout, made, session);
  return { ok: true, record: made.record, leases, notes: made.notes };
}

const MAX_OVERLAY_BYTES = 50 * 1024 * 1024;

type ReadRecord =
  | { readonly ok: true; readonly record: WorktreeRecord | undefined }
  | { readonly ok: false; readonly reason: string };

async function readRecord(host: Host, { commonDir }: Checkout, name: string): Promise<ReadRecord> {
  try {
    return { ok: true, record: await openRecords(host, commonDir).read(name) };
  } catch (error) {
    return { ok: false, reason: `${reasonOf(error)}. Choose another name` };
  }
}

/** The folder the person is in, below the top of the worktree, if it is there. */
async function folderIn(host: Host, top: string, prefix: string) {
  const path = join(top, prefix);
  const isThere = (await host.files.stat(path).catch(() => undefined))?.kind === 'folder';
  return { isThere, path: await host.files.realpath(isThere ? path : top) };
}

/** Paths on the command line are meant from where the person is. */
function fromWhereItWasGiven(options: SessionOptions, folder: string): SessionOptions {
  const { addDirs, settings } = options;
  const isFile = settings !== undefined && !settings.trimStart().startsWith('{') && !isAbsolute(settings);
  return {
    ...options,
    ...(addDirs === undefined ? {} : { addDirs: addDirs.map((path) => resolve(folder, path)) }),
    ...(isFile ? { settings: resolve(folder, settings) } : {}),
  };
}

function refuse(reason: string): OpenFailure {
  return { ok: false, kind: 'usage', reason };
}
