/** Finds the current location of one of our worktrees: its registration in git, and its folder. Read-only. */

import { dirname, join, resolve } from 'node:path';
import { errorCode } from '../files.js';
import type { Host } from '../host.js';
import { isOwnLock, type WorktreeRecord } from './worktree-record.js';

export type Located =
  /** In its place, and registered. `link`: whether its `.git` file exists; if so, it leads to the registration. */
  | { readonly kind: 'here'; readonly path: string; readonly gitDir: string; readonly link: 'right' | 'none' }
  /** Registered for another folder, which exists. */
  | { readonly kind: 'moved'; readonly path: string; readonly gitDir: string }
  /** Registered, without a folder. `isListed`: git knows its folder. */
  | {
      readonly kind: 'missing';
      readonly gitDir: string;
      readonly isListed: boolean;
      readonly folder: 'none' | 'empty';
    }
  /** A folder that git does not know. */
  | { readonly kind: 'unregistered'; readonly path: string; readonly isEmpty: boolean }
  | { readonly kind: 'nothing' }
  /** For people: what is wrong with it. `path`: its registered folder. */
  | { readonly kind: 'damaged'; readonly reason: string; readonly path: string; readonly gitDir: string };

/** Throws errors of the file system. */
export async function locateWorktree(host: Host, commonDir: string, record: WorktreeRecord): Promise<Located> {
  const found = await host.files.lstat(record.path);
  const registration = await findRegistration(host, commonDir, record);
  if (registration === undefined) {
    if (found === undefined) return { kind: 'nothing' };
    return { kind: 'unregistered', path: record.path, isEmpty: await isEmptyFolder(host, record.path) };
  }
  const { gitDir, link } = registration;
  const damaged = (path: string, reason: string): Located => ({ kind: 'damaged', path, gitDir, reason });
  if (link === undefined) {
    if (found === undefined) return { kind: 'missing', gitDir, isListed: false, folder: 'none' };
    if (await isEmptyFolder(host, record.path)) return { kind: 'missing', gitDir, isListed: false, folder: 'empty' };
    return damaged(record.path, `${gitDir} does not say which folder it is for`);
  }
  const path = dirname(link);
  if (path !== record.path && (await realOf(host, path)) !== (await realOf(host, record.path))) {
    if ((await host.files.stat(path)) !== undefined) return { kind: 'moved', path, gitDir };
    if (found !== undefined) return damaged(path, `git has it at ${path}, where nothing is`);
  }
  if (found === undefined) return { kind: 'missing', gitDir, isListed: true, folder: 'none' };
  if (found.kind !== 'folder') return damaged(path, `${record.path} is not a folder`);
  const back = await readPointer(host, join(record.path, '.git'), record.path, /^gitdir: /);
  if (back === 'none') return { kind: 'here', path: record.path, gitDir, link: 'none' };
  if (back === 'other' || (await realOf(host, back)) !== (await realOf(host, gitDir))) {
    return damaged(path, `${join(record.path, '.git')} does not lead to ${gitDir} (git worktree repair fixes it)`);
  }
  return { kind: 'here', path: record.path, gitDir, link: 'right' };
}

type Registration = {
  readonly gitDir: string;
  /** The `.git` file it names; undefined if it names none. */
  readonly link: string | undefined;
};

async function findRegistration(
  host: Host,
  commonDir: string,
  record: WorktreeRecord,
): Promise<Registration | undefined> {
  const folder = join(commonDir, 'worktrees');
  const names = (await listIfThere(host, folder)).map(({ name }) => name);
  const read = async (name: string): Promise<Registration> => {
    const gitDir = join(folder, name);
    const link = await readPointer(host, join(gitDir, 'gitdir'), gitDir, /^/);
    return { gitDir, link: link === 'none' || link === 'other' ? undefined : link };
  };
  if (record.gitDir !== undefined) {
    const name = names.find((one) => join(folder, one) === record.gitDir);
    return name === undefined ? undefined : read(name);
  }
  const all = await Promise.all(names.map(read));
  const named = all.find(({ link }) => link === join(record.path, '.git'));
  if (named !== undefined) return named;
  // Git was killed before it wrote the folder. It names the registration after the folder.
  for (const { gitDir, link } of all) {
    const isNamed = new RegExp(`^${escapeName(record.name)}\\d*$`).test(gitDir.slice(folder.length + 1));
    if (link === undefined && isNamed && (await isJustBegun(host, gitDir))) return { gitDir, link };
  }
  return undefined;
}

async function isJustBegun(host: Host, gitDir: string): Promise<boolean> {
  const names = (await host.files.list(gitDir)).map(({ name }) => name);
  if (names.length === 0) return true;
  const reason = await readGitLock(host, gitDir);
  return names.every((name) => name === 'locked' || name === 'gitdir') && reason !== undefined && isOwnLock(reason);
}

/** The reason of git's own lock; empty: no reason given; undefined: it is not locked. */
export async function readGitLock(host: Host, gitDir: string): Promise<string | undefined> {
  try {
    return (await host.files.read(join(gitDir, 'locked'))).toString('utf8').trim();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Reads a file of git that contains one path. `other`: it is something else. */
async function readPointer(host: Host, file: string, from: string, begin: RegExp): Promise<string> {
  const found = await host.files.lstat(file);
  if (found === undefined) return 'none';
  if (found.kind !== 'file' || found.size > MOST_POINTER) return 'other';
  const text = (await host.files.read(file)).toString('utf8').replace(/\r?\n$/, '');
  const path = text.replace(begin, '');
  return !begin.test(text) || path === '' ? 'other' : resolve(from, path);
}

const MOST_POINTER = 16 * 1024;

async function isEmptyFolder(host: Host, path: string): Promise<boolean> {
  const found = await host.files.lstat(path);
  return found?.kind === 'folder' && (await host.files.list(path, 1)).length === 0;
}

export async function listIfThere(host: Host, folder: string) {
  try {
    return await host.files.list(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

async function realOf(host: Host, path: string): Promise<string> {
  return host.files.realpath(path).catch(() => path);
}

function escapeName(name: string): string {
  return name.replaceAll('.', '\\.');
}
