/**
 * The files of a checkout as they are now, as a tree: tracked ones with their uncommitted changes, and untracked ones
 * that are not ignored. Made with an index of its own, so that nothing in the checkout changes and no lock is taken.
 */

import { join } from 'node:path';
import type { Host } from '../host.js';
import type { Checkout } from './checkout.js';

export type Snapshot =
  | { readonly ok: true; readonly tree: string; readonly index: string; discard(): Promise<void> }
  | { readonly ok: false; readonly reason: string };

export type SnapshotLimit = { /** Most bytes of changed and untracked files. */ readonly maxBytes?: number };

/** `index`: the temporary index that holds the tree, fresh against the files. `discard` removes it. */
export async function takeSnapshot(host: Host, checkout: Checkout, limit: SnapshotLimit = {}): Promise<Snapshot> {
  const { git, gitDir, top } = checkout;
  const unmerged = await git(['ls-files', '--unmerged', '-z']);
  if (!unmerged.ok) return { ok: false, reason: unmerged.reason };
  if (unmerged.text !== '') {
    return { ok: false, reason: `${top} has files with conflicts (${firstPath(unmerged.text)}): resolve them first` };
  }
  const changed = await git(['diff-files', '--name-only', '--diff-filter=d', '-z']);
  const listed = await git(['ls-files', '--others', '--exclude-standard', '-z']);
  if (!changed.ok || !listed.ok) return { ok: false, reason: changed.ok ? listed.reason : changed.reason };
  // A repository of its own is listed as a folder: it belongs to nobody's tree.
  const untracked = splitNul(listed.stdout).filter((path) => path.at(-1) !== SLASH);
  const over = await exceeds(host, top, [...splitNul(changed.stdout), ...untracked], limit.maxBytes);
  if (over !== undefined) return { ok: false, reason: over };
  const index = join(gitDir, `coppice-index-${host.newShortId()}`);
  const env = { GIT_INDEX_FILE: index };
  const discard = async () => {
    for (const path of [index, `${index}.lock`]) await host.files.remove(path).catch(() => {});
  };
  try {
    const own = await host.files.read(join(gitDir, 'index')).catch(() => undefined);
    if (own !== undefined) await host.files.create(index, own);
    const updated = await git(['add', '--update', '--', ':/'], { env });
    const input = Buffer.concat(untracked.flatMap((path) => [path, NUL]));
    const added = updated.ok ? await git(['update-index', '--add', '-z', '--stdin'], { env, input }) : updated;
    const written = added.ok ? await git(['write-tree'], { env }) : added;
    if (written.ok) return { ok: true, tree: written.text, index, discard };
    await discard();
    return { ok: false, reason: `the changes in ${top} can't be taken along: ${written.reason}` };
  } catch (error) {
    await discard();
    throw error;
  }
}

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

async function exceeds(host: Host, top: string, paths: readonly Buffer[], most = Number.POSITIVE_INFINITY) {
  let bytes = 0;
  if (most === Number.POSITIVE_INFINITY) return undefined;
  for (const path of paths) {
    bytes += (await host.files.lstat(join(top, path.toString('utf8'))).catch(() => undefined))?.size ?? 0;
    if (bytes > most) {
      return `the uncommitted changes in ${top} are larger than ${most} bytes (setting worktree.maxOverlayBytes): commit or ignore large files, or set worktree.includeDirty to false`;
    }
  }
  return undefined;
}

function firstPath(list: string): string {
  return list.split('\0')[0]?.split('\t')[1] ?? '';
}
