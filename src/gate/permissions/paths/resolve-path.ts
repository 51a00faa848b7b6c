/**
 * Resolves the real target of a path: follows every link, keeps missing tails, and compares with the roots name by name.
 * It only inspects; open `real` afterwards.
 */

import { basename, dirname, isAbsolute, join, normalize } from 'node:path';
import type { FileKind, SyncFiles } from '../../../host/files.js';
import { findProtectedName, isHidden } from './protected-names.js';

export type ResolvedPath = {
  /** The given path made absolute, with `.` and `..` removed lexically. */
  readonly lexical: string;
  /** With every link followed. */
  readonly real: string;
  /** The root that contains it, if any. */
  readonly inside: string | undefined;
  readonly kind: FileKind | 'missing';
  /** The limit of lookups was reached, so its target is unknown. */
  readonly unseen?: true;
  /** The reason why any use of it needs permission. */
  readonly problem?: string;
  /** The reason why writing to it needs permission. */
  readonly writeProblem?: string;
  /** The protected name in it. */
  readonly protectedName?: string;
};

export const HARD_LINK = 'it is a hard link: another name for a file that may be elsewhere';
const MOST_LINKS = 40;
const MOST_COMPONENTS = 200;
const LONGEST_NAME = 255;
const LONGEST_PATH = 4096;

export function resolvePath(path: string, cwd: string, folders: PathFolders): ResolvedPath {
  const whole = isAbsolute(path) ? path : `${cwd}/${path}`;
  const lexical = normalize(whole).replace(/(?<=.)\/+$/, '');
  const refused = refuseText(whole);
  if (refused !== undefined) return { lexical, real: lexical, inside: undefined, kind: 'missing', problem: refused };
  const names = split(whole);
  // The shell follows links before it removes `..`, most programs do the reverse: both must agree.
  const up = names.includes('..');
  const found = up ? walk(names, folders.files) : walkFast(lexical, folders);
  const other = up ? walk(split(lexical), folders.files) : found;
  const inside = folders.roots.find((root) => isWithin(found.real, root));
  const protectedName = nameProtected(lexical, found.real, inside) ?? findGuarded(lexical, found.real, folders);
  const problem = found.problem ?? (other.real === found.real ? oddKind(found) : 'its .. leads to different paths');
  return {
    lexical,
    real: found.real,
    inside,
    kind: found.kind,
    ...(problem === undefined ? {} : { problem }),
    ...(found.writeProblem === undefined ? {} : { writeProblem: found.writeProblem }),
    ...(protectedName === undefined ? {} : { protectedName }),
  };
}

/** For a path beyond the limit of lookups. */
export function leaveUnseen(path: string, cwd: string): ResolvedPath {
  const lexical = normalize(isAbsolute(path) ? path : `${cwd}/${path}`).replace(/(?<=.)\/+$/, '');
  const problem = 'the call names too many files to check them all';
  return { lexical, real: lexical, inside: undefined, kind: 'other', problem, unseen: true };
}

export type PathFolders = {
  /** With links resolved. */
  readonly roots: readonly string[];
  /** The home, our own folders and those of programs: both as written and with links resolved. */
  readonly home: readonly string[];
  readonly own: readonly string[];
  programs(): readonly string[];
  readonly files: SyncFiles;
  /** The real path of an existing folder; undefined if it doesn't exist. */
  realFolder(folder: string): string | undefined;
};

type Walked = { real: string; kind: FileKind | 'missing'; problem?: string; writeProblem?: string };

function refuseText(path: string): string | undefined {
  if (path.includes('\0')) return 'it contains a NUL character';
  if (Buffer.byteLength(path) > LONGEST_PATH) return 'it is too long';
  const names = split(path);
  if (names.length > MOST_COMPONENTS) return 'it is nested too deep';
  if (names.some((name) => Buffer.byteLength(name) > LONGEST_NAME)) return 'a name in it is too long';
  return undefined;
}

function oddKind(walked: Walked): string | undefined {
  if (walked.kind === 'other') return 'it is a device, a pipe or a socket';
  return /^\/(?:proc|dev|sys)(?:\/|$)/.test(walked.real) ? 'it is part of the running system' : undefined;
}

/** The folder's real path is usually known, so that only the last name must be looked up. */
function walkFast(path: string, folders: PathFolders): Walked {
  if (path === '/') return { real: '/', kind: 'folder' };
  const folder = folders.realFolder(dirname(path));
  if (folder === undefined) return walk(split(path), folders.files);
  const end = judgeEnd(join(folder, basename(path)), folders.files);
  return end.kind === 'link' ? walk(split(path), folders.files) : end;
}

function judgeEnd(real: string, files: SyncFiles): Walked {
  try {
    const stat = files.lstat(real);
    if (stat === undefined) return { real, kind: 'missing' };
    if (stat.kind === 'link') return { real, kind: 'link', problem: 'it changed while it was checked' };
    const hard = stat.kind === 'file' && stat.links > 1;
    return {
      real,
      kind: stat.kind,
      ...(hard ? { writeProblem: HARD_LINK } : {}),
    };
  } catch {
    return { real, kind: 'other', problem: 'it could not be checked' };
  }
}

function walk(names: readonly string[], files: SyncFiles): Walked {
  const pending = [...names].reverse();
  let real = '/';
  let links = 0;
  // While at least this many names are pending, the walk is still inside a link's target.
  let targetFloor = Number.POSITIVE_INFINITY;
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (name === '.') continue;
    if (name === '..') {
      real = join(real, '..');
      continue;
    }
    const next = join(real, name);
    const entry = kindOf(next, files);
    if (entry === 'refused') return { real: next, kind: 'other', problem: 'it could not be checked' };
    if (entry === undefined) return missingTail(next, pending, pending.length >= targetFloor);
    if (entry !== 'link') {
      real = next;
      continue;
    }
    links += 1;
    if (links > MOST_LINKS) return { real: next, kind: 'link', problem: 'its links form a cycle' };
    const target = readTarget(next, files);
    // A link's target may be as long as a path, and lead to further links.
    if (pending.length + (target?.length ?? 0) > LONGEST_PATH)
      return { real: next, kind: 'link', problem: 'its links lead too far' };
    if (target === undefined) return { real: next, kind: 'link', problem: 'a link in it could not be read' };
    if (isAbsolute(target)) real = '/';
    targetFloor = Math.min(targetFloor, pending.length);
    pending.push(...split(target).toReversed());
  }
  return judgeEnd(real, files);
}

function missingTail(missing: string, pending: readonly string[], dangling: boolean): Walked {
  const rest = [...pending].reverse();
  const real = join(missing, ...rest);
  if (rest.includes('..')) return { real, kind: 'missing', problem: 'it goes up from a folder that does not exist' };
  return {
    real,
    kind: 'missing',
    ...(dangling ? { writeProblem: 'a link in it leads to something that does not exist yet' } : {}),
  };
}

function kindOf(path: string, files: SyncFiles): FileKind | undefined | 'refused' {
  try {
    return files.lstat(path)?.kind;
  } catch {
    return 'refused';
  }
}

function readTarget(path: string, files: SyncFiles): string | undefined {
  try {
    return files.readLink(path);
  } catch {
    return undefined;
  }
}

/** Resolves the target of a path, even if it does not exist. */
export function followLinks(path: string, files: SyncFiles): string {
  return walk(split(path), files).real;
}

/** Compares name by name, never by string prefix. */
export function isWithin(path: string, folder: string): boolean {
  const inner = split(path);
  const outer = split(folder);
  return outer.length <= inner.length && outer.every((name, index) => name === inner[index]);
}

/** The agent does not choose the roots' own names, so only names below them are checked. */
function nameProtected(lexical: string, real: string, inside: string | undefined): string | undefined {
  const below = inside === undefined ? split(real) : split(real).slice(split(inside).length);
  const written =
    inside !== undefined && isWithin(lexical, inside) ? split(lexical).slice(split(inside).length) : undefined;
  return findProtectedName(below) ?? findProtectedName(written ?? split(lexical).slice(-below.length || undefined));
}

/**
 * Our own folders are always guarded. In a root that is or contains the home, so is everything hidden directly in the
 * home, and the folders of programs: startup files, credentials and programs are there, and no list of them is complete.
 */
function findGuarded(lexical: string, real: string, folders: PathFolders): string | undefined {
  const paths = lexical === real ? [real] : [real, lexical];
  const isIn = (folder: string) => paths.some((path) => isWithin(path, folder));
  const own = folders.own.find(isIn);
  if (own !== undefined) return own;
  const around = folders.roots.filter((root) => isWithin(real, root));
  const holdsHome = (root: string) => folders.home.some((home) => isWithin(home, root));
  if (around.length === 0 || !around.every(holdsHome)) return undefined;
  for (const home of folders.home) {
    for (const path of paths.filter((one) => isWithin(one, home))) {
      const [first] = split(path).slice(split(home).length);
      if (first !== undefined && isHidden(first)) return `~/${first}`;
    }
    const programs = folders.programs().find((folder) => folder !== home && isWithin(folder, home) && isIn(folder));
    if (programs !== undefined) return programs;
  }
  return undefined;
}

function split(path: string): readonly string[] {
  return path.split('/').filter((name) => name !== '');
}
