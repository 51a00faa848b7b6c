/** One at a time per repository, in this process and between processes: git's own worktree commands race (WT-5). */

import type { Host } from '../host.js';
import { type InTurn, inTurn } from '../locks/in-turn.js';
import { repositoryLock } from './worktree-record.js';

export async function inRepository<T>(host: Host, commonDir: string, work: () => Promise<T>): Promise<InTurn<T>> {
  const done = await inTurn(host, repositoryLock(commonDir), work);
  if (done.ok) return done;
  return { ok: false, reason: `another process works on the worktrees of this repository: ${done.reason}` };
}
