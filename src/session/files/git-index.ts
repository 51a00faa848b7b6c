/** Finds the repository that contains a folder, and its index: what `git add`, `mv` and `rm` change besides files. */

import { dirname, join, resolve } from 'node:path';
import type { Files } from '../../host/files.js';
import { readRegularFile } from '../../host/read-regular-file.js';

export type FoundRepository = {
  /** The folder that contains `.git`. */
  readonly top: string;
  /** The real path of its index, which need not exist. Undefined if it can't be told: a submodule's, for example. */
  readonly index: string | undefined;
};

/** `folder` is a real path, which need not exist. Undefined if it is in no repository. */
export async function findRepository(files: Files, folder: string): Promise<FoundRepository | undefined> {
  for (let top = folder; ; top = dirname(top)) {
    const git = join(top, '.git');
    const found = await files.lstat(git);
    if (found?.kind === 'folder') return { top, index: join(git, 'index') };
    if (found?.kind === 'file') return { top, index: await indexOfWorktree(files, git) };
    if (dirname(top) === top) return undefined;
  }
}

/** A worktree's `.git` names its git directory, which has to name the worktree in turn: else it could be anyone's. */
async function indexOfWorktree(files: Files, file: string): Promise<string | undefined> {
  try {
    const named = /^gitdir: (.+)$/m.exec(await readSmall(files, file))?.[1];
    if (named === undefined) return undefined;
    const gitDir = await files.realpath(resolve(dirname(file), named));
    const back = (await readSmall(files, join(gitDir, 'gitdir'))).trim();
    return resolve(gitDir, back) === file ? join(gitDir, 'index') : undefined;
  } catch {
    return undefined;
  }
}

async function readSmall(files: Files, path: string): Promise<string> {
  const read = await readRegularFile(files, path, { most: 64 * 1024 });
  return read.kind === 'read' ? read.bytes.toString('utf8') : '';
}

export function isIndex(path: string): boolean {
  return /\/\.git\/(?:worktrees\/[^/]+\/)?index$/.test(path);
}

/**
 * True if two indexes list the same files with the same content. Git updates times and caches in it whenever it looks
 * (`git status`), which is not a change that anyone made.
 */
export function listSameFiles(a: Buffer, b: Buffer): boolean {
  const [one, other] = [entriesOf(a), entriesOf(b)];
  return one !== undefined && other !== undefined && one.equals(other);
}

const HEADER_BYTES = 12;
/** Times, device, inode, owner and size: zeroed. Then come mode, hash and flags. */
const STAT_BYTES = [
  [0, 24],
  [28, 40],
] as const;
const FIXED_BYTES = 62;

/** The entries without what git knows of the disk; undefined for another format than versions 2 and 3 with SHA-1. */
function entriesOf(index: Buffer): Buffer | undefined {
  if (index.length < HEADER_BYTES || index.toString('latin1', 0, 4) !== 'DIRC') return undefined;
  const version = index.readUInt32BE(4);
  if (version !== 2 && version !== 3) return undefined;
  const copy = Buffer.from(index);
  let at = HEADER_BYTES;
  for (let left = index.readUInt32BE(8); left > 0; left -= 1) {
    if (at + FIXED_BYTES > copy.length) return undefined;
    for (const [from, to] of STAT_BYTES) copy.fill(0, at + from, at + to);
    const isExtended = (copy.readUInt16BE(at + 60) & 0x4000) !== 0;
    const name = at + FIXED_BYTES + (isExtended ? 2 : 0);
    const end = copy.indexOf(0, name);
    if (end === -1) return undefined;
    // An entry is padded with one to eight zeros, to a multiple of eight.
    at += Math.ceil((end - at + 1) / 8) * 8;
  }
  return copy.subarray(0, at);
}
