/**
 * `--worktree [name]` (WT-10): creates the worktree of a session, or continues with the one of that name. Mistakes in
 * the name, the repository or the worktree are reported before anything is created.
 */

import { isAbsolute, join, resolve } from 'node:path';
import { findRepoRoot } from '../../config/find-repo-root.js';
import { isMadeByGit, placeOf, worktreesByGit } from '../../features/worktrees/session-git-worktrees.js';
import type { LeavableWorktree } from '../../features/worktrees/session-worktree.js';
import type { WorktreeMaker } from '../../features/worktrees/worktree-maker.js';
import { findCheckout } from '../../host/git/checkout.js';
import type { Host } from '../../host/host.js';
import { isWorktreeName, NAME_RULE } from '../../host/worktrees/worktree-record.js';
import type { Failure } from '../../protocol/result.js';
import type { Resources } from '../resources.js';
import { type OpenFailure, type SessionOptions, usageFailure } from '../session-options.js';
import { findSession } from './find-session.js';
import { creationHooks, worktreesByHook } from './hook-worktrees.js';
import { type FolderConfig, type FoundFolder, readConfig } from './read-config.js';

type Folder = Extract<FoundFolder, { readonly ok: true }>;

export type Entered = {
  readonly ok: true;
  readonly worktree: LeavableWorktree;
  /** The folder in it. */
  readonly found: Folder;
  /** The given options, with paths relative to where you are. */
  readonly options: SessionOptions;
  /** Notes for the user, one line each. */
  readonly notes: readonly string[];
};

/**
 * The worktree is one of the `resources`: if the session can't be opened, it is removed again, unless it contains work.
 */
export async function enterWorktree(
  options: SessionOptions,
  found: Folder,
  resources: Resources,
): Promise<Entered | OpenFailure> {
  const name = options.worktree === true ? `session-${found.host.newShortId().slice(0, 8)}` : (options.worktree ?? '');
  const mistake = findMistake(options, name);
  if (mistake !== undefined) return usageFailure(mistake);
  // Its settings configure how worktrees are created here.
  const config = await readConfig(options, found.host, found.repoRoot ?? found.folder);
  if (!config.ok) return config;
  const maker = await findMaker(options, config, found, name);
  if ('ok' in maker) return usageFailure(maker.reason);
  const session = await sessionFor(options, config.host, maker);
  if (!session.ok) return session;
  const taken = await maker.take(session.id);
  if (!taken.ok) return usageFailure(taken.reason);
  const { worktree } = taken;
  resources.add('the worktree', () => worktree.leave());
  const folder = await folderIn(config.host, worktree.path, maker.prefix);
  const lost = folder.isThere ? [] : [`${maker.prefix} is not in the worktree; the session works at its top`];
  const here = found.host.at(folder.path);
  const given = resolvePaths(options, found.folder);
  return {
    ok: true,
    worktree,
    found: { ok: true, host: here, folder: folder.path, repoRoot: await findRepoRoot(here, folder.path) },
    options: isNew(options) ? { ...given, sessionId: session.id } : given,
    notes: [...taken.notes, ...lost],
  };
}

/** The folder of a worktree's sessions, even if it does not exist. */
export async function worktreeFolder(host: Host, name: string) {
  if (!isWorktreeName(name)) return { ok: false as const, reason: describeBadName(name) };
  const found = await findCheckout(host, host.folder, { trusted: false });
  if (!found.ok) return found;
  const location = await placeOf(host, found.checkout, name);
  return location.ok ? { ok: true as const, path: join(location.path, found.checkout.prefix) } : location;
}

function findMistake({ worktree, resume }: SessionOptions, name: string): string | undefined {
  if (!isWorktreeName(name)) return describeBadName(name);
  if (resume !== undefined && worktree === true) {
    return '--continue and --resume need the name of the worktree: --worktree NAME (coppice worktree list shows them)';
  }
  return undefined;
}

function describeBadName(name: string): string {
  const prompt = /\s/.test(name) ? '. To send a prompt, put it first: coppice "…" --worktree' : '';
  return `--worktree ${JSON.stringify(name)} is not a valid worktree name: ${NAME_RULE}${prompt}`;
}

/** Git, unless a hook of the project creates worktrees (WT-11). */
async function findMaker(
  options: SessionOptions,
  config: FolderConfig,
  { folder, repoRoot = folder }: Folder,
  name: string,
): Promise<WorktreeMaker | Failure> {
  const { host, trusted } = config;
  const found = await findCheckout(host, folder, { trusted });
  const hooks = await creationHooks(options, config, { projectRoot: repoRoot, folder });
  const isGits = found.ok && (await isMadeByGit(host, found.checkout, name));
  if (hooks !== undefined && !isGits) {
    const top = await host.files.realpath(found.ok ? found.checkout.top : repoRoot);
    const commonDir = found.ok ? found.checkout.commonDir : undefined;
    return worktreesByHook({ host, trusted, hooks, name, top, folder, commonDir });
  }
  if (!found.ok) return found;
  const settings = config.settings.settings.worktree ?? {};
  return worktreesByGit({ host, checkout: found.checkout, name, settings });
}

function isNew({ resume, branch }: SessionOptions): boolean {
  return resume === undefined || branch === true;
}

/** The session that will own it. A session to resume is searched first: nothing is created for a missing one. */
async function sessionFor(
  options: SessionOptions,
  host: Host,
  maker: WorktreeMaker,
): Promise<{ readonly ok: true; readonly id: string } | OpenFailure> {
  const { resume, sessionId } = options;
  if (resume === undefined) return { ok: true, id: sessionId ?? host.newId() };
  const location = await maker.path();
  if (!location.ok) return usageFailure(location.reason);
  const { path } = location;
  let failed = usageFailure('no worktree of that name, and so no session in it');
  for (const folder of path === undefined ? [] : [...new Set([path, join(path, maker.prefix)])]) {
    const session = await findSession(host, folder, resume);
    if (session.ok) return { ok: true, id: isNew(options) ? (sessionId ?? host.newId()) : session.id };
    failed = session;
  }
  return failed;
}

/** Your current folder below the top of the worktree, if it exists there. */
async function folderIn(host: Host, top: string, prefix: string) {
  const path = join(top, prefix);
  const isThere = (await host.files.stat(path).catch(() => undefined))?.kind === 'folder';
  return { isThere, path: await host.files.realpath(isThere ? path : top) };
}

/** Paths on the command line are relative to your current folder. */
function resolvePaths(options: SessionOptions, folder: string): SessionOptions {
  const { addDirs, settings } = options;
  const isFile = settings !== undefined && !settings.trimStart().startsWith('{') && !isAbsolute(settings);
  return {
    ...options,
    ...(addDirs === undefined ? {} : { addDirs: addDirs.map((path) => resolve(folder, path)) }),
    ...(isFile ? { settings: resolve(folder, settings) } : {}),
  };
}
