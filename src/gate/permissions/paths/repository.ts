/**
 * Finds the git repositories that git may use in a folder, and whether they could run their own programs: hooks, filters,
 * file watchers, external diffs. Git's search is subtle, so every `.git` and every `HEAD` on the real path upward is a
 * candidate, until one that git certainly uses. Only settings known to be harmless pass; any other is treated as a program.
 */

import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import type { FileKind, SyncFiles } from '../../../host/files.js';
import { findLastingKey, findProgramKey } from './git-config.js';
import { isWithin } from './resolve-path.js';

export type RepositoryReading = {
  /** The nearest folder with a `.git` or that may be a bare repository, links resolved; undefined if there is none. */
  readonly folder: string | undefined;
  /** Every repository that git may use there, nearest first. */
  readonly candidates: readonly Candidate[];
};

type Candidate = {
  readonly folder: string;
  /** The folders of its configuration, hooks and objects, links resolved. */
  readonly gitFolders: readonly string[];
  /** Returns the first thing in it that may run a program, in a git with its own programs on or off. */
  findProgram(programs: Programs): string | undefined;
  /** Returns what runs even with its programs off, if it is trusted. */
  findLasting(): string | undefined;
  /** Parts that are elsewhere and don't point back to it, links resolved: they may belong to another repository. */
  findBorrowed(): readonly string[];
};

/** `off`: git runs with hooks and programs named by settings disabled (`host/git`). */
export type Programs = 'on' | 'off' /** And submodules are left alone. */ | 'off-alone';

const CONFIGS = ['config', 'config.worktree'];
const LARGEST_CONFIG = 256 * 1024;
/** Git ships about a dozen samples. */
const MOST_HOOKS = 200;

export function readRepository(cwd: string, files: SyncFiles): RepositoryReading {
  const candidates: Candidate[] = [];
  const start = realFolder(cwd, files);
  if (start === undefined) candidates.push(doubtful(cwd, cwd, 'the folder could not be checked'));
  for (let folder = start ?? '/'; ; folder = dirname(folder)) {
    for (const find of [findDotGit, findHead]) {
      const found = find(folder, files);
      if (found === undefined) continue;
      candidates.push(found);
      if (found.certain) return { folder: candidates[0]?.folder, candidates };
    }
    if (folder === dirname(folder)) return { folder: candidates[0]?.folder, candidates };
  }
}

/**
 * Returns the first program that git may run there without trust. Trust covers what `trusted`, the reading of the trusted
 * folder, found, and nothing nested; and no repository whose files an edit may have created (`isEditable`).
 */
export function findUntrustedProgram(
  reading: RepositoryReading,
  trust: Trust,
  programs: Programs = 'on',
): string | undefined {
  for (const candidate of reading.candidates) {
    // With programs on, trust covers them; a git with its programs off promises that none runs.
    const lasting = () => (programs === 'on' ? undefined : candidate.findLasting());
    const program = isTrusted(candidate, trust) ? lasting() : candidate.findProgram(programs);
    if (program !== undefined) return program;
  }
  return undefined;
}

/** A part of a repository that is outside and belongs to another: what git shows is not the project's. */
export function findBorrowed(
  reading: RepositoryReading,
  trust: Trust,
  isInside: (path: string) => boolean,
): string | undefined {
  for (const candidate of reading.candidates) {
    const outside = isTrusted(candidate, trust) ? undefined : candidate.findBorrowed().find((path) => !isInside(path));
    if (outside !== undefined) return outside;
  }
  return undefined;
}

export type Trust = {
  /** The reading of the trusted folder; undefined if there is none. */
  readonly trusted: RepositoryReading | undefined;
  isEditable(gitFolder: string): boolean;
};

function isTrusted({ folder, gitFolders }: Candidate, { trusted, isEditable }: Trust): boolean {
  return trusted?.candidates.some((own) => own.folder === folder) === true && !gitFolders.some(isEditable);
}

/** Git works in the real folder. Of a folder that does not exist yet, only the existing part can have a repository. */
function realFolder(cwd: string, files: SyncFiles): string | undefined {
  try {
    for (let folder = cwd; ; folder = dirname(folder)) {
      const real = files.realpath(folder);
      if (real !== undefined || folder === dirname(folder)) return real;
    }
  } catch {
    return undefined;
  }
}

type Found = Candidate & { readonly certain: boolean };

function doubtful(folder: string, gitFolder: string, program: string): Found {
  const find = () => program;
  return {
    folder,
    gitFolders: [gitFolder],
    findProgram: find,
    findLasting: find,
    findBorrowed: () => [],
    certain: false,
  };
}

function findDotGit(folder: string, files: SyncFiles): Found | undefined {
  const path = join(folder, '.git');
  const doubt = (program: string): Found => doubtful(folder, path, program);
  try {
    const kind = files.lstat(path)?.kind;
    if (kind === undefined) return undefined;
    const real = kind === 'link' ? files.realpath(path) : path;
    if (real === undefined) return doubt('its .git is a link that leads nowhere');
    switch (kind === 'link' ? files.lstat(real)?.kind : kind) {
      case 'folder':
        return readGitFolder(real, folder, folder, files);
      case 'file':
        return readGitFile(real, folder, files);
      default:
        return doubt('its .git is neither a folder nor a file');
    }
  } catch {
    return doubt('its .git could not be read');
  }
}

/** A bare repository has no `.git`; anything named HEAD may be the head of one, now or after the next `mkdir`. */
function findHead(folder: string, files: SyncFiles): Found | undefined {
  try {
    if (files.lstat(join(folder, 'HEAD')) === undefined) return undefined;
    return readGitFolder(folder, folder, undefined, files);
  } catch {
    return doubtful(folder, folder, 'its HEAD could not be read');
  }
}

/** In a worktree or a submodule `.git` is a file that names the real folder. */
function readGitFile(path: string, folder: string, files: SyncFiles): Found {
  const named = /^gitdir: ([^\n]+?)[\r\n]*$/.exec(readSmall(path, files) ?? '')?.[1];
  const real = named === undefined ? undefined : files.realpath(isAbsolute(named) ? named : join(folder, named));
  if (real === undefined) return doubtful(folder, path, 'its .git is a file that names no folder');
  return readGitFolder(real, folder, folder, files);
}

function readGitFolder(gitFolder: string, folder: string, workFolder: string | undefined, files: SyncFiles): Found {
  const common = findCommon(gitFolder, files);
  const gitFolders = common === gitFolder ? [gitFolder] : [gitFolder, common];
  const findProgram = (programs: Programs) => {
    try {
      for (const one of gitFolders) {
        const program = findProgramIn(one, workFolder, files, programs);
        if (program !== undefined) return program;
      }
      const hasModules = workFolder !== undefined && files.lstat(join(workFolder, '.gitmodules')) !== undefined;
      return hasModules && programs !== 'off-alone' ? 'it has submodules' : undefined;
    } catch {
      return 'a part of it could not be read';
    }
  };
  const findLasting = () => {
    try {
      for (const path of gitFolders.flatMap((one) => CONFIGS.map((name) => join(one, name)))) {
        const key = findLastingKey(readSmall(path, files) ?? '');
        if (key !== undefined) return `its ${basename(path)} sets ${key}, which can't be turned off`;
      }
      return undefined;
    } catch {
      return 'a part of it could not be read';
    }
  };
  const borrowed = () => {
    const own = isOwn(gitFolder, common, folder, files) ? [] : gitFolders;
    const parts = ['objects', 'refs'].map((name) => files.realpath(join(common, name)));
    return [...own, ...parts.filter((part) => part !== undefined && !isWithin(part, common))] as string[];
  };
  const findBorrowed = () => {
    try {
      return borrowed();
    } catch {
      return gitFolders;
    }
  };
  return { folder, gitFolders, findProgram, findLasting, findBorrowed, certain: isCertain(gitFolder, common, files) };
}

function isOwn(gitFolder: string, common: string, folder: string, files: SyncFiles): boolean {
  if (gitFolder === join(folder, '.git') || gitFolder === folder) return common === gitFolder;
  return pointsBack(gitFolder, common, folder, files);
}

/**
 * A `.git` may name any folder; only one that names this work tree in return belongs to it, like a linked worktree's record
 * or a submodule's configuration. All are real paths.
 */
export function pointsBack(gitFolder: string, common: string, folder: string, files: SyncFiles): boolean {
  if (common !== gitFolder) {
    if (basename(dirname(gitFolder)) !== 'worktrees' || dirname(dirname(gitFolder)) !== common) return false;
    const back = readSmall(join(gitFolder, 'gitdir'), files)?.trim();
    return back !== undefined && files.realpath(resolve(gitFolder, back)) === join(folder, '.git');
  }
  const back = /^\s*worktree\s*=\s*"?(.+?)"?\s*$/m.exec(readSmall(join(gitFolder, 'config'), files) ?? '')?.[1];
  return back !== undefined && files.realpath(resolve(gitFolder, back)) === folder;
}

/** The folder of the configuration, hooks and objects; for a linked worktree, another one. */
function findCommon(gitFolder: string, files: SyncFiles): string {
  const named = readSmall(join(gitFolder, 'commondir'), files)?.replace(/[\r\n]+$/, '');
  if (named === undefined) return gitFolder;
  const real = files.realpath(isAbsolute(named) ? named : join(gitFolder, named));
  if (real === undefined) throw new Error('its commondir leads nowhere');
  return real;
}

function findProgramIn(
  gitFolder: string,
  workFolder: string | undefined,
  files: SyncFiles,
  programs: Programs,
): string | undefined {
  const here = (path: string) => files.realpath(isAbsolute(path) ? path : join(gitFolder, path)) === workFolder;
  for (const name of CONFIGS) {
    const config = readSmall(join(gitFolder, name), files);
    const isHere = workFolder === undefined ? undefined : here;
    const key = config === undefined ? undefined : findProgramKey(config, isHere, programs);
    if (key !== undefined) return `its ${name} sets ${key}`;
  }
  const hook = programs !== 'on' ? undefined : findHook(join(gitFolder, 'hooks'), files);
  if (hook !== undefined) return `it has ${hook}`;
  // Objects of another repository must not be shown.
  if (files.lstat(join(gitFolder, 'objects', 'info', 'alternates')) !== undefined)
    return 'it takes objects from another repository';
  return undefined;
}

/** True if git certainly uses it, so that nothing above is relevant. A failing lookup throws, because that is not certain. */
function isCertain(gitFolder: string, common: string, files: SyncFiles): boolean {
  const head = readSmall(join(gitFolder, 'HEAD'), files);
  if (head === undefined || !/^(?:ref:[ \t]*refs\/|[0-9a-f]{40})/.test(head)) return false;
  return ['objects', 'refs'].every((name) => {
    const stat = files.lstat(join(common, name));
    if (stat?.kind !== 'folder') return false;
    // If not everybody may enter it, a lookup inside shows whether we may.
    if ((stat.mode & 0o111) !== 0o111) files.lstat(join(common, name, 'x'));
    return true;
  });
}

function kindOf(path: string, files: SyncFiles): FileKind | undefined {
  return files.lstat(path)?.kind;
}

/** Reads only an ordinary file: opening a pipe would block. Git can't read a folder as a file either. */
function readSmall(path: string, files: SyncFiles): string | undefined {
  const stat = files.lstat(path);
  if (stat === undefined || stat.kind === 'folder') return undefined;
  if (stat.kind !== 'file' || stat.size > LARGEST_CONFIG) throw new Error(`${path} is not an ordinary file`);
  return files.read(path).toString('utf8');
}

function findHook(folder: string, files: SyncFiles): string | undefined {
  const kind = kindOf(folder, files);
  if (kind === undefined) return undefined;
  if (kind !== 'folder') return 'a hooks folder that is elsewhere';
  const entries = files.list(folder, MOST_HOOKS + 1);
  const hook = entries.find((entry) => !entry.name.endsWith('.sample'))?.name;
  if (hook !== undefined) return `the hook ${hook}`;
  return entries.length > MOST_HOOKS ? 'too many files among its hooks to check' : undefined;
}
