/** Exclusive access per repository, within this process and between processes: git's own worktree commands race (WT-5). */

import type { Host } from '../host.js';
import { type Locked, withLock } from '../locks/with-lock.js';
import { repositoryLock } from './worktree-record.js';

export async function withRepositoryLock<T>(host: Host, commonDir: string, work: () => Promise<T>): Promise<Locked<T>> {
  const done = await withLock(host, repositoryLock(commonDir), work);
  if (done.ok) return done;
  return { ok: false, reason: `another process works on the worktrees of this repository: ${done.reason}` };
}
