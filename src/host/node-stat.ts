/** What Node tells about a file, in our words. */

import type { Dirent, Stats } from 'node:fs';
import type { Entry, FileKind, FileStat } from './files.js';

export function toStat(stats: Stats): FileStat {
  return {
    kind: kindOf(stats),
    size: stats.size,
    mtimeMs: stats.mtimeMs,
    mode: stats.mode,
    links: stats.nlink,
    identity: `${stats.dev}:${stats.ino}`,
  };
}

export function toEntry(entry: Dirent): Entry {
  return { name: entry.name, kind: kindOf(entry) };
}

function kindOf(what: Stats | Dirent): FileKind {
  if (what.isFile()) return 'file';
  if (what.isDirectory()) return 'folder';
  if (what.isSymbolicLink()) return 'link';
  return 'other';
}
