/**
 * Finds the file that a program's name starts, links resolved, and whether it is the system's own: in a folder of the
 * system, where this user can change neither the file nor a folder on the way, and no shim, which would choose another
 * program by files of the working folder.
 */

import { isAbsolute, join } from 'node:path';
import type { FileStat, SyncFiles } from '../files.js';
import { isBelow } from './clean-path.js';

export type Executable = {
  /** The file, links resolved. */
  readonly real: string;
  /** Nobody but the administrator decides what it does. */
  readonly ofSystem: boolean;
};

/** Folders of the system's programs and what belongs to them. */
const SYSTEM_FOLDERS: readonly string[] = [
  ...['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix', '/gnu', '/opt', '/snap'],
];

/** The first on the PATH, as a shell finds it. Undefined if there is none. */
export function findExecutable(
  name: string,
  path: string | undefined,
  files: SyncFiles,
  user: User = thisUser(),
): Executable | undefined {
  for (const { real } of executablesOf(name, (path ?? '').split(':'), files)) {
    return { real, ofSystem: isOfSystem(real, files, user) };
  }
  return undefined;
}

type User = { readonly id: number | undefined; readonly groups: readonly number[] };

function thisUser(): User {
  return { id: process.getuid?.(), groups: process.getgroups?.() ?? [] };
}

/** `file`: as it is named there; some programs do by their name what they do. */
export type NamedExecutable = { readonly file: string; readonly real: string };

/** All of that name in these folders, in their order. A name with a slash is no name. */
export function* executablesOf(name: string, folders: readonly string[], files: SyncFiles): Generator<NamedExecutable> {
  if (name === '' || name.includes('/')) return;
  for (const folder of folders) {
    // A relative folder means another program in each working folder.
    if (!isAbsolute(folder)) continue;
    const file = join(folder, name);
    const real = lookUp(() => files.realpath(file));
    const stat = real === undefined ? undefined : lookUp(() => files.lstat(real));
    if (real !== undefined && stat?.kind === 'file' && (stat.mode & 0o111) !== 0) yield { file, real };
  }
}

/** `real`: an existing file, links resolved. */
export function isOfSystem(real: string, files: SyncFiles, user: User = thisUser()): boolean {
  if (!SYSTEM_FOLDERS.some((folder) => isBelow(real, folder)) || SHIM.test(real)) return false;
  // The administrator can write everywhere.
  if (user.id === 0) return true;
  const parts = real.split('/').slice(1);
  const way = parts.map((_, index) => `/${parts.slice(0, index + 1).join('/')}`);
  return ['/', ...way].every((path) => {
    const stat = lookUp(() => files.lstat(path));
    return stat !== undefined && !isWritable(stat, user);
  });
}

/** They choose a version by files of the working folder (`.tool-versions`, `rust-toolchain.toml`). */
const SHIM =
  /\/\.?shims\/|\/(?:asdf|mise|rtx|volta(?:-shim)?|proto(?:-shim)?|hermit|rustup(?:-init)?|pyenv|rbenv|nodenv|goenv|jenv|plenv|phpenv|tfenv|tenv|corepack(?:\.js)?|jabba|vfox)$|\/corepack\//;

function isWritable({ mode, owner }: FileStat, user: User): boolean {
  if ((mode & 0o002) !== 0) return true;
  // An owner can give itself the permission.
  if (owner.user === user.id) return true;
  return (mode & 0o020) !== 0 && user.groups.includes(owner.group);
}

function lookUp<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
