/**
 * Completes the registration of a worktree after git was killed. Git creates each file of a registration and then fills
 * it; an empty one makes many commands fail in the whole repository, `git branch` among them.
 */

import { join } from 'node:path';
import type { Host } from '../host.js';
import { listIfThere } from './locate-worktree.js';
import { lockReason, type WorktreeRecord } from './worktree-record.js';

/** Only for a record whose maker is dead, and while no git works on it. Files with content stay unchanged. */
export async function fixRegistration(host: Host, commonDir: string, record: WorktreeRecord): Promise<void> {
  const { files } = host;
  const pointer = join(record.path, '.git');
  if (await isEmptyFile(host, pointer)) await files.remove(pointer);
  const folder = join(commonDir, 'worktrees');
  // Git names it after the folder, with a number if that name is taken.
  const isNamed = (name: string) => name.startsWith(record.name) && /^\d*$/.test(name.slice(record.name.length));
  for (const { name } of await listIfThere(host, folder)) {
    const own = join(folder, name);
    if (!isNamed(name) || !(await isOfThis(host, own, record))) continue;
    if (await isEmptyFile(host, join(own, 'locked')))
      await files.replace(join(own, 'locked'), lockReason(record.owner));
    if (await isEmptyFile(host, join(own, 'commondir'))) await files.replace(join(own, 'commondir'), '../..\n');
  }
}

/** True if it names the record's folder, or no folder yet. */
async function isOfThis(host: Host, own: string, record: WorktreeRecord): Promise<boolean> {
  const gitdir = join(own, 'gitdir');
  const stat = await host.files.lstat(gitdir);
  if (stat === undefined || (stat.kind === 'file' && stat.size === 0)) return true;
  return stat.kind === 'file' && (await host.files.read(gitdir)).toString('utf8').trim() === join(record.path, '.git');
}

async function isEmptyFile(host: Host, path: string): Promise<boolean> {
  const stat = await host.files.lstat(path);
  return stat?.kind === 'file' && stat.size === 0;
}
