/** Other names of denied files: a hard link has the same content, whatever it is called. */

import { join } from 'node:path';
import type { Host } from '../../../host/host.js';
import type { Result } from '../../../protocol/result.js';
import type { Denied } from './list-folders.js';

/** Files in denied folders beyond this are not looked at. */
const MOST_DENIED = 10_000;
const MOST_FILES = 100_000;
const LONGEST_MS = 1_000;
const SLICE_MS = 15;

/** Real paths in `folders` of files that are the same as a denied one. Free if no denied file has a second name. */
export async function findSameFiles(
  host: Host,
  folders: readonly string[],
  denied: readonly Denied[],
): Promise<Result<{ readonly paths: readonly string[] }>> {
  const covered = new Set(denied.map(({ path }) => path));
  const wanted = new Set<string>();
  const note = (path: string) => {
    const stat = lstat(host, path);
    if (stat?.kind === 'file' && stat.links > 1) wanted.add(stat.identity);
  };
  for (const { path, isFolder } of denied) if (!isFolder) note(path);
  const hidden = denied.filter(({ isFolder }) => isFolder).map(({ path }) => path);
  await visit(host, hidden, new Set(), MOST_DENIED, note);
  if (wanted.size === 0) return { ok: true, paths: [] };
  const paths: string[] = [];
  const isWhole = await visit(host, folders, covered, MOST_FILES, (path) => {
    if (wanted.has(lstat(host, path)?.identity ?? '')) paths.push(path);
  });
  if (isWhole) return { ok: true, paths };
  return { ok: false, reason: 'a denied file has other names, and there are too many files to look for them' };
}

/** False if there is more than it may look at. */
async function visit(
  host: Host,
  folders: readonly string[],
  except: ReadonlySet<string>,
  most: number,
  look: (path: string) => void,
): Promise<boolean> {
  const began = host.clock.elapsed();
  let resumed = began;
  let seen = 0;
  const pending = [...folders];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    for (const { name, kind } of list(host, folder)) {
      const path = join(folder, name);
      if (except.has(path)) continue;
      if (kind === 'folder') pending.push(path);
      if (kind !== 'file') continue;
      seen += 1;
      if (seen > most) return false;
      look(path);
    }
    const now = host.clock.elapsed();
    if (now - began > LONGEST_MS) return false;
    if (now - resumed <= SLICE_MS) continue;
    await host.clock.sleep(0);
    resumed = host.clock.elapsed();
  }
  return true;
}

function list(host: Host, folder: string) {
  try {
    return host.files.sync.list(folder, MOST_FILES);
  } catch {
    // What we can't list, the command can't either.
    return [];
  }
}

function lstat(host: Host, path: string) {
  try {
    return host.files.sync.lstat(path);
  } catch {
    return undefined;
  }
}
