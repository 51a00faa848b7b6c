/**
 * Finds what must stay unchanged in a writable folder: names that control what runs or is allowed later, whether they
 * exist or not.
 */

import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { Entry, Files } from '../../../host/files.js';
import { findProtectedName } from '../../permissions/paths/protected-names.js';

export type Guards = {
  /** Exist, and become read-only with everything in them. */
  readonly reads: string[];
  /** Exist, stay writable, and must not be moved, because they contain names of `reads`. */
  readonly pins: string[];
  /** Absent: an empty folder stands in for each while the command runs. */
  readonly stubs: string[];
  /** Folders in which no further protected name may appear. */
  readonly watched: WatchedFolder[];
  /** The own git folders of worktrees, among what is guarded of the folder they share. They point back to the worktree. */
  readonly records: string[];
  /** Absent, and checked afterwards: they must not appear. */
  readonly absent: string[];
  /** Links can't be mounted over: their targets are guarded, and the links are checked afterwards. */
  readonly links: WatchedLink[];
};

export type WatchedFolder = {
  readonly path: string;
  /** Which names count in it: those of a working folder, or those of a git folder. */
  readonly as: 'root' | 'git';
  /** All names that were in it. */
  readonly names: readonly string[];
};

export type WatchedLink = {
  readonly path: string;
  readonly target: string;
  /** Its target, if that does not exist. */
  readonly missing?: string;
};

/**
 * Stubs are folders: git ignores empty ones, so `git add -A` never adds them, and removing one can't destroy anything.
 * Names not listed here have no effect on a program that runs meanwhile; they are checked afterwards.
 */
const STUB_NAMES = ['.git', '.claude', '.mcp.json', '.gitmodules', '.vscode', '.idea', '.husky', '.envrc'];
/** A command that may run for long, like a build: an empty folder of this name confuses nobody. The rest is checked afterwards. */
const WIDE_STUB_NAMES = ['.claude'];
/** What decides which programs git runs. */
const GIT_NAMES = ['config', 'config.worktree', 'hooks', 'commondir', 'gitdir'];
/**
 * Contain such files for other working folders, and what we keep of worktrees. Git and we create them ourselves, so their
 * appearance means nothing.
 */
const GIT_FOLDERS = ['modules', 'worktrees', 'coppice'];
const LARGEST_CONFIG = 256 * 1024;

export type GuardScan = {
  /** Include names that don't exist; only for the roots themselves. */
  readonly absent: boolean;
  /** Stubs of other runs: treated as absent. */
  readonly held: ReadonlySet<string>;
  /** What of a git folder stays writable: nothing, the index and objects, or all but what decides which programs git runs. */
  readonly git: 'nothing' | 'index' | 'most';
  /** Git folders of which most stays writable: the own record of a worktree, which a commit there changes. */
  readonly own: readonly string[];
  /** The command can write to the whole machine. */
  readonly wide: boolean;
};

/** Adds what must be guarded in `folder`, a real path. */
export async function findGuards(files: Files, folder: string, guards: Guards, look: GuardScan): Promise<void> {
  const { absent, held, wide } = look;
  const entries = (await files.list(folder)).filter(({ name }) => !held.has(join(folder, name)));
  const names = new Set(entries.map(({ name }) => name));
  for (const entry of entries) {
    if (isProtected(entry.name, 'root')) await guardEntry(files, folder, entry, guards, look);
  }
  // A folder may be a git folder itself: a bare repository, the record of a worktree.
  if (names.has('HEAD') && (names.has('objects') || names.has('commondir'))) {
    await guardGitFolder(files, folder, guards, look);
  }
  if (!absent) return;
  for (const name of wide ? WIDE_STUB_NAMES : STUB_NAMES) if (!names.has(name)) guards.stubs.push(join(folder, name));
  guards.watched.push({ path: folder, as: 'root', names: [...names] });
}

/** Whether a name counts in a working folder, or in a git folder. */
export function isProtected(name: string, as: WatchedFolder['as']): boolean {
  if (as === 'git') return GIT_NAMES.includes(name.toLowerCase());
  // The second check is for `.claude`, of which only parts are protected; here it is guarded as a whole.
  return findProtectedName([name]) !== undefined || findProtectedName([name, 'settings.json']) !== undefined;
}

async function guardEntry(files: Files, folder: string, entry: Entry, guards: Guards, look: GuardScan): Promise<void> {
  const path = join(folder, entry.name);
  const isGit = entry.name.toLowerCase() === '.git';
  switch (entry.kind) {
    case 'folder':
      if (isGit) await guardGitFolder(files, path, guards, look);
      else guards.reads.push(path);
      return;
    case 'link':
      return guardLink(files, path, guards, isGit ? look : undefined);
    case 'file':
      guards.reads.push(path);
      if (isGit) await guardNamedFolder(files, path, guards, look);
      return;
    case 'other':
      guards.reads.push(path);
      return;
    default:
      entry.kind satisfies never;
  }
}

async function guardGitFolder(files: Files, git: string, guards: Guards, look: GuardScan): Promise<void> {
  const writable = look.own.includes(git) ? 'most' : look.git;
  const entries = (await files.list(git)).filter(({ name }) => !look.held.has(join(git, name)));
  // What isn't a repository yet would become one with the first files created in it.
  if (writable === 'nothing' || !entries.some(({ name }) => name === 'HEAD')) {
    guards.reads.push(git);
    return;
  }
  guards.pins.push(git);
  for (const entry of entries) {
    const path = join(git, entry.name);
    if (writable === 'index') {
      if (entry.name === 'objects') guards.reads.push(join(path, 'info'), join(path, 'pack'));
      if (entry.name === 'objects' || entry.name === 'index') continue;
    } else if (!isProtected(entry.name, 'git') && !GIT_FOLDERS.includes(entry.name.toLowerCase())) continue;
    if (entry.kind === 'link') await guardLink(files, path, guards, undefined);
    else guards.reads.push(path);
  }
  await guardHooksPath(files, git, guards);
  await guardSharedFolder(files, git, guards, look);
  const names = entries.map(({ name }) => name);
  const isRepository = !names.includes('commondir');
  for (const name of ['hooks', 'coppice']) {
    if (look.absent && isRepository && !names.includes(name)) guards.stubs.push(join(git, name));
  }
  guards.watched.push({ path: git, as: 'git', names });
}

/** `asGit`: how to look if it leads to a git folder. */
async function guardLink(files: Files, path: string, guards: Guards, asGit: GuardScan | undefined): Promise<void> {
  const target = await files.readLink(path);
  const real = await files.realpath(path).catch(() => undefined);
  if (real === undefined) {
    guards.links.push({ path, target, missing: resolve(dirname(path), target) });
    return;
  }
  guards.links.push({ path, target });
  if (asGit !== undefined && (await files.lstat(real))?.kind === 'folder') {
    await guardGitFolder(files, real, guards, { ...asGit, absent: false });
  } else guards.reads.push(real);
}

/** In a worktree or a submodule `.git` is a file that names the git folder. */
async function guardNamedFolder(files: Files, path: string, guards: Guards, look: GuardScan): Promise<void> {
  const named = /^gitdir: (.+?)\s*$/.exec((await readSmall(files, path)) ?? '')?.[1];
  if (named === undefined) return;
  const real = await files.realpath(resolve(dirname(path), named)).catch(() => undefined);
  if (real === undefined || (await files.lstat(real))?.kind !== 'folder') return;
  const back = (await readSmall(files, join(real, 'gitdir')))?.trim();
  if (back !== undefined && resolve(real, back) === path) guards.records.push(real);
  await guardGitFolder(files, real, guards, { ...look, absent: false });
}

/** A worktree's own git folder names the one that all worktrees share, with the configuration and the hooks. */
async function guardSharedFolder(files: Files, git: string, guards: Guards, look: GuardScan): Promise<void> {
  const named = (await readSmall(files, join(git, 'commondir')))?.trim();
  if (named === undefined) return;
  const real = await files.realpath(resolve(git, named)).catch(() => undefined);
  if (real === undefined || guards.pins.includes(real) || (await files.lstat(real))?.kind !== 'folder') return;
  await guardGitFolder(files, real, guards, { ...look, absent: false });
}

/** Hooks and further configuration may be elsewhere, often in the working folder itself. */
async function guardHooksPath(files: Files, git: string, guards: Guards): Promise<void> {
  const config = (await readSmall(files, join(git, 'config'))) ?? '';
  for (const [, key = '', named = ''] of config.matchAll(/^\s*(hookspath|path)\s*=\s*"?(.+?)"?\s*$/gim)) {
    // A file that is included is named from the configuration's own folder, hooks from the work tree.
    const base = key.toLowerCase() === 'path' ? git : dirname(git);
    const path = isAbsolute(named) ? named : join(base, named);
    const real = await files.realpath(path).catch(() => undefined);
    if (real !== undefined) guards.reads.push(real);
  }
}

async function readSmall(files: Files, path: string): Promise<string | undefined> {
  const stat = await files.lstat(path).catch(() => undefined);
  if (stat?.kind !== 'file' || stat.size > LARGEST_CONFIG) return undefined;
  return (await files.read(path)).toString('utf8');
}
