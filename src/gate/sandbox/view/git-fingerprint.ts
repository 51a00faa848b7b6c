/** The state of a repository, from the files that say which objects it has and which of them are reached. */

import { join } from 'node:path';
import type { SyncFiles } from '../../../host/files.js';
import { commonFolderOf } from './find-git-folders.js';

const FILES =
  `HEAD index packed-refs FETCH_HEAD ORIG_HEAD logs/HEAD config config.worktree shallow info/grafts info/attributes
  objects/info/alternates`.split(/\s+/);
const FOLDERS = ['refs', 'logs', 'worktrees', 'reftable', 'objects/info', 'objects/pack'];
const OBJECTS = Array.from({ length: 256 }, (_, byte) => `objects/${byte.toString(16).padStart(2, '0')}`);
const MOST_FOLDERS = 500;
const MOST_ENTRIES = 10_000;

/**
 * Changes whenever a ref, a reflog, the index or an object does. Throws if anything that git would follow or read there
 * is neither a regular file nor a folder: a link may lead git to a device without an end.
 */
export function fingerprintOf(git: string, files: SyncFiles): string {
  const common = commonFolderOf(git, files);
  const folders = [...new Set([git, common])];
  const single = folders.flatMap((folder) => FILES.map((name) => stateOf(join(folder, name), 'file', files)));
  const walked = folders.flatMap((folder) => FOLDERS.flatMap((name) => walk(join(folder, name), files)));
  const objects = ['objects', ...OBJECTS].map((name) => stateOf(join(common, name), 'folder', files));
  return [...single, ...walked, ...objects].join('\n');
}

function walk(start: string, files: SyncFiles): readonly string[] {
  const states: string[] = [];
  const pending = [start];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    const state = stateOf(folder, 'folder', files);
    if (state === '') continue;
    states.push(state);
    if (states.length > MOST_FOLDERS) throw new Error('too many folders');
    const entries = files.list(folder, MOST_ENTRIES);
    if (entries.length >= MOST_ENTRIES) throw new Error('too many files');
    for (const { name, kind } of entries) {
      if (name.includes('\uFFFD') || kind === 'link' || kind === 'other') throw new Error(`${name} is no plain file`);
      // Git replaces a ref by renaming, which changes its folder.
      if (kind === 'folder') pending.push(join(folder, name));
    }
  }
  return states;
}

function stateOf(path: string, kind: 'file' | 'folder', files: SyncFiles): string {
  const stat = files.lstat(path);
  if (stat === undefined) return '';
  if (stat.kind !== kind) throw new Error(`${path} is no plain ${kind}`);
  return `${stat.identity} ${stat.ctimeMs} ${stat.size}`;
}
