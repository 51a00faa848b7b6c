/**
 * The current files of a checkout as a tree: tracked files with their uncommitted changes, and untracked files that are
 * not ignored. Uses a temporary index, so that nothing in the checkout changes and no lock is taken.
 */

import { join } from 'node:path';
import type { Result } from '../../protocol/result.js';
import type { Host } from '../host.js';
import type { Checkout } from './checkout.js';
import type { GitOptions, GitRun } from './git.js';

export type Snapshot = Result<{ readonly tree: string; readonly index: string; discard(): Promise<void> }>;

export type SnapshotLimit = {
  /** Most bytes of changed and untracked files. */
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
};

/** `index`: the temporary index with the tree, refreshed against the files. `discard` removes it. */
export async function takeSnapshot(host: Host, checkout: Checkout, limit: SnapshotLimit = {}): Promise<Snapshot> {
  const index = join(checkout.gitDir, `coppice-index-${host.newShortId()}`);
  const discard = async () => {
    for (const path of [index, `${index}.lock`]) await host.files.remove(path).catch(() => {});
  };
  try {
    await copyIndex(host, join(checkout.gitDir, 'index'), index);
    const taken = await fillIndex(host, checkout, index, limit);
    if (taken.ok) return { ok: true, tree: taken.tree, index, discard };
    await discard();
    return taken;
  } catch (error) {
    await discard();
    throw error;
  }
}

/**
 * Git compares a file's time with that of the index to detect changes in the same moment, so the copy must not be newer
 * than the original.
 */
async function copyIndex(host: Host, own: string, copy: string): Promise<void> {
  const { files } = host;
  const stat = await files.stat(own);
  if (stat === undefined) return;
  await files.create(copy, await files.read(own));
  await files.touch(copy, Math.floor(stat.mtimeMs) - 1);
}

type Filled = Result<{ readonly tree: string }>;

async function fillIndex(host: Host, checkout: Checkout, index: string, limit: SnapshotLimit): Promise<Filled> {
  const { git, top } = checkout;
  const options = { env: { GIT_INDEX_FILE: index }, ...(limit.signal === undefined ? {} : { signal: limit.signal }) };
  const settings = [...SETTINGS, ...((await isCaseSensitive(host, checkout)) ? ['-c', 'core.ignoreCase=false'] : [])];
  const run = (args: readonly string[], more: GitOptions = {}) => git([...settings, ...args], { ...options, ...more });
  const refused = ({ reason }: { readonly reason: string }): Filled => ({
    ok: false,
    reason: `the changes in ${top} can't be taken along: ${reason}`,
  });
  const unmerged = await run(['ls-files', '--unmerged', '-z']);
  if (!unmerged.ok) return refused(unmerged);
  if (unmerged.text !== '') {
    return { ok: false, reason: `${top} has files with conflicts (${firstPath(unmerged.text)}): resolve them first` };
  }
  // It fails if files differ, which is irrelevant here.
  await run(['update-index', '-q', '--refresh']);
  const differing = ['diff-files', '--name-only', '--ignore-submodules=dirty', '-z'];
  const lists = [
    await run([...differing, '--diff-filter=D']),
    await run([...differing, '--diff-filter=d']),
    await run(['ls-files', '--others', '--exclude-standard', '-z']),
  ] as const;
  const failed = lists.find(({ ok }) => !ok);
  if (failed !== undefined) return refused(failed);
  const [deleted, changed, others] = lists.map(({ stdout }) => splitNul(stdout)) as [Paths, Paths, Paths];
  // A nested repository is listed as a folder and can't be part of the tree.
  const present = [...changed, ...others.filter((path) => path.at(-1) !== SLASH)];
  const over = await exceeds(host, top, present, limit.maxBytes);
  if (over) return refused({ reason: tooLarge(limit.maxBytes) });
  const update = (how: readonly string[], paths: Paths): Promise<GitRun> | undefined =>
    paths.length === 0 ? undefined : run(['update-index', ...how, '-z', '--stdin'], { input: joinNul(paths) });
  // Deleted paths first: a folder may have become a file or a link, or the reverse.
  const removed = await update(['--force-remove'], deleted);
  if (removed?.ok === false) return refused(removed);
  const added = await update(['--add', '--remove', '--replace'], present);
  if (added?.ok === false) return refused(added);
  const written = await run(['write-tree']);
  return written.ok ? { ok: true, tree: written.text } : refused(written);
}

/** The user's settings for their own index and `git add` must not apply here. */
const SETTINGS = ['-c', 'core.safecrlf=false', '-c', 'core.splitIndex=false', '-c', 'index.sparse=false'];

/**
 * Detects case sensitivity: a repository from another machine may be configured wrongly, and lose a file renamed only
 * in case.
 */
async function isCaseSensitive({ files }: Host, { gitDir }: Checkout): Promise<boolean> {
  return (await files.lstat(join(gitDir, 'hEaD'))) === undefined;
}

type Paths = readonly Buffer[];

const NUL = Buffer.from([0]);
const SLASH = 0x2f;

/** File names are bytes: they need not be UTF-8. */
export function splitNul(list: Buffer): readonly Buffer[] {
  const parts: Buffer[] = [];
  for (let at = 0; at < list.length; ) {
    const end = list.indexOf(0, at);
    parts.push(list.subarray(at, end < 0 ? list.length : end));
    at = end < 0 ? list.length : end + 1;
  }
  return parts;
}

function joinNul(paths: Paths): Buffer {
  return Buffer.concat(paths.flatMap((path) => [path, NUL]));
}

/** A file whose name is not UTF-8 can't be inspected and is not counted. */
async function exceeds(host: Host, top: string, paths: Paths, most = Number.POSITIVE_INFINITY): Promise<boolean> {
  let bytes = 0;
  for (const path of most === Number.POSITIVE_INFINITY ? [] : paths) {
    bytes += (await host.files.lstat(join(top, path.toString('utf8'))))?.size ?? 0;
    if (bytes > most) return true;
  }
  return false;
}

function tooLarge(most = 0): string {
  return `they are larger than ${most} bytes (setting worktree.maxOverlayBytes); commit or ignore large files, or set worktree.includeDirty to false`;
}

function firstPath(list: string): string {
  return list.split('\0')[0]?.split('\t')[1] ?? '';
}
