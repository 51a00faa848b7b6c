/**
 * All that is in a plugin's folder, as one hash: names, contents, modes, links (EX-19). There is an end to it: what is too
 * much to look at, or is no ordinary file, can't be approved.
 */

import { createHash } from 'node:crypto';
import { join, relative } from 'node:path';
import type { FileStat } from '../../host/files.js';
import type { Host } from '../../host/host.js';
import { byteSize } from '../../protocol/format-numbers.js';
import { reasonOf } from '../../protocol/reason-of.js';
import { isWithin } from './inside-path.js';

export type FolderHash =
  | { readonly ok: true; readonly hash: string; readonly stamp: string }
  | { readonly ok: false; readonly reason: string };

const MOST_FILES = 2_000;
const MOST_BYTES = 32 * 1024 * 1024;
const MOST_DEPTH = 32;
/** A file that changes twice within a tick of the file system's clock would look unchanged. */
const SETTLED_MS = 2_000;

/** Data of git that it rewrites whenever somebody looks, and that runs nothing. Its configuration and hooks do count. */
const GIT_DATA: ReadonlySet<string> = new Set([
  '.git/objects',
  '.git/logs',
  '.git/refs',
  '.git/index',
  '.git/HEAD',
  '.git/FETCH_HEAD',
  '.git/ORIG_HEAD',
  '.git/COMMIT_EDITMSG',
  '.git/packed-refs',
]);

/** `folder`: links resolved. Reads at once: through the thread pool it would take ten times as long. Bounded. */
export function hashFolder(host: Host, folder: string): FolderHash {
  return look(host, folder, (path) => createHash('sha256').update(host.files.sync.read(path)).digest('hex'));
}

/** Whether it is surely as it was: by names, sizes and times alone. */
export function isSameFolder(host: Host, folder: string, stamp: string): boolean {
  const now = look(host, folder, () => '');
  return stamp !== '' && now.ok && now.stamp === stamp;
}

export type Walked = { readonly path: string; readonly stat: FileStat };

function look(host: Host, folder: string, contentOf: (path: string) => string): FolderHash {
  try {
    const found = walkFolder(host, folder);
    if (!found.ok) return found;
    const hash = createHash('sha256');
    const stamp = createHash('sha256');
    let newest = 0;
    for (const { path, stat } of found.entries) {
      const name = relative(folder, path);
      const kind = stat.kind;
      const content = kind === 'file' ? contentOf(path) : kind === 'link' ? host.files.sync.readLink(path) : '';
      const mode = kind === 'link' ? 0 : stat.mode & 0o777;
      hash.update(`${JSON.stringify([kind, name, mode, content])}\n`);
      stamp.update(`${JSON.stringify([kind, name, mode, stat.identity, stat.ctimeMs, stat.mtimeMs, stat.size])}\n`);
      newest = Math.max(newest, stat.ctimeMs);
    }
    const isSettled = host.clock.now() - newest > SETTLED_MS;
    return { ok: true, hash: hash.digest('hex'), stamp: isSettled ? stamp.digest('hex') : '' };
  } catch (error) {
    return { ok: false, reason: `its folder can't be read: ${reasonOf(error)}` };
  }
}

export type Walk =
  | { readonly ok: true; readonly entries: readonly Walked[] }
  | { readonly ok: false; readonly reason: string };

/** Everything in it, sorted by path. Throws what the file system throws. */
export function walkFolder({ files: { sync } }: Host, root: string): Walk {
  const entries: Walked[] = [];
  let bytes = 0;
  const no = (path: string, reason: string): Walk => ({ ok: false, reason: `${relative(root, path)} ${reason}` });
  const open: { readonly folder: string; readonly depth: number }[] = [{ folder: root, depth: 0 }];
  for (let here = open.pop(); here !== undefined; here = open.pop()) {
    const { folder, depth } = here;
    if (depth > MOST_DEPTH) return no(folder, `is nested more than ${MOST_DEPTH} folders deep`);
    for (const { name } of sync.list(folder, MOST_FILES + 1)) {
      const path = join(folder, name);
      if (GIT_DATA.has(relative(root, path))) continue;
      const stat = sync.lstat(path);
      if (stat === undefined) return no(path, 'went away while it was looked at');
      if (stat.kind === 'other') return no(path, 'is not a regular file');
      if (stat.kind === 'link' && !isWithin(root, sync.realpath(path) ?? '/'))
        return no(path, 'is a link out of the plugin');
      bytes += stat.kind === 'file' ? stat.size : 0;
      entries.push({ path, stat });
      if (entries.length > MOST_FILES) return { ok: false, reason: `it has more than ${MOST_FILES} files` };
      if (bytes > MOST_BYTES) return { ok: false, reason: `it has more than ${byteSize(MOST_BYTES)}` };
      if (stat.kind === 'folder') open.push({ folder: path, depth: depth + 1 });
    }
  }
  return { ok: true, entries: entries.sort((a, b) => (a.path < b.path ? -1 : 1)) };
}
