/**
 * Hashes everything in a plugin's folder: names, contents, modes, links (EX-19). The work is limited: a folder that is too
 * large or contains special files can't be approved.
 */

import { createHash } from 'node:crypto';
import { join, relative } from 'node:path';
import type { FileStat } from '../../host/files.js';
import type { Host } from '../../host/host.js';
import { byteSize } from '../../protocol/format-numbers.js';
import { reasonOf } from '../../protocol/reason-of.js';
import type { Result } from '../../protocol/result.js';
import { isWithin } from '../path-within.js';

export type FolderHash = Result<{ readonly hash: string; readonly stamp: string }>;

const MOST_FILES = 2_000;
const MOST_BYTES = 32 * 1024 * 1024;
const MOST_DEPTH = 32;
/** Newer files are not trusted to be unchanged: a second change within one clock tick would not be noticed. */
const SETTLED_MS = 2_000;

/** Data that git rewrites even when only read, and that never runs. Its configuration and hooks are hashed. */
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

/** `folder`: links resolved. Synchronous, because the thread pool would take ten times as long; the work is limited. */
export function hashFolder(host: Host, folder: string): FolderHash {
  return readFolder(host, folder, (path) => createHash('sha256').update(host.files.sync.read(path)).digest('hex'));
}

/** True if names, sizes and times prove that nothing changed. */
export function isSameFolder(host: Host, folder: string, stamp: string): boolean {
  const now = readFolder(host, folder, () => '');
  return stamp !== '' && now.ok && now.stamp === stamp;
}

export type Walked = { readonly path: string; readonly stat: FileStat };

function readFolder(host: Host, folder: string, contentOf: (path: string) => string): FolderHash {
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

export type Walk = Result<{ readonly entries: readonly Walked[] }>;

/** Lists everything in it, sorted by path. Throws file system errors. */
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
      if (stat === undefined) return no(path, 'was deleted while it was read');
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
