/**
 * `--worktree [name]` (WT-10): makes the worktree that a session works in, or goes on with the one of that name. What is
 * wrong with the name, the repository or the worktree is told before anything is made.
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
import type { OpenFailure, SessionOptions } from '../session-options.js';
import { findSession } from './find-session.js';
import { creationHooks, worktreesByHook } from './hook-worktrees.js';
import { type FolderConfig, type FoundFolder, readConfig } from './read-config.js';

type Folder = Extract<FoundFolder, { readonly ok: true }>;

export type Entered = {
  readonly ok: true;
  readonly worktree: LeavableWorktree;
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
  const maker = await findMaker(options, config, found, name);
  if ('ok' in maker) return refuse(maker.reason);
  const session = await sessionFor(options, config.host, maker);
  if (!session.ok) return session;
  const taken = await maker.take(session.id);
  if (!taken.ok) return refuse(taken.reason);
  const { worktree } = taken;
  resources.add('the worktree', () => worktree.leave());
  const folder = await folderIn(config.host, worktree.path, maker.prefix);
  const lost = folder.isThere ? [] : [`${maker.prefix} is not in the worktree, so the session works at its top`];
  const here = found.host.at(folder.path);
  const given = fromWhereItWasGiven(options, found.folder);
  return {
    ok: true,
    worktree,
    found: { ok: true, host: here, folder: folder.path, repoRoot: await findRepoRoot(here, folder.path) },
    options: isNew(options) ? { ...given, sessionId: session.id } : given,
    notes: [...taken.notes, ...lost],
  };
}

/** The folder of a worktree's sessions, whether it is there or not. */
export async function worktreeFolder(host: Host, name: string) {
  if (!isWorktreeName(name)) return { ok: false as const, reason: describeBadName(name) };
  const found = await findCheckout(host, host.folder, { trusted: false });
  if (!found.ok) return found;
  const place = await placeOf(host, found.checkout, name);
  return place.ok ? { ok: true as const, path: join(place.path, found.checkout.prefix) } : place;
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

/** Git, unless a hook of the project does it (WT-11). */
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

/** Who is to own it. A session to go on with is looked for first: nothing is made for one that is not there. */
async function sessionFor(
  options: SessionOptions,
  host: Host,
  maker: WorktreeMaker,
): Promise<{ readonly ok: true; readonly id: string } | OpenFailure> {
  const { resume, sessionId } = options;
  if (resume === undefined) return { ok: true, id: sessionId ?? host.newId() };
  const place = await maker.path();
  if (!place.ok) return refuse(place.reason);
  const { path } = place;
  let failed = refuse('there is no worktree of that name, and so no session of it');
  for (const folder of path === undefined ? [] : [...new Set([path, join(path, maker.prefix)])]) {
    const session = await findSession(host, folder, resume);
    if (session.ok) return { ok: true, id: isNew(options) ? (sessionId ?? host.newId()) : session.id };
    failed = session;
  }
  return failed;
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
