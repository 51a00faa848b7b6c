/** One at a time per repository, in this process and between processes: git's own worktree commands race (WT-5). */

import { dirname } from 'node:path';
import type { Host } from '../host.js';
import { takeLock } from '../lock.js';
import { repositoryLock } from './worktree-record.js';

/** Work under way in this process, by repository. */
const under = new Map<string, Promise<unknown>>();

export type InTurn<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reason: string };

/** Fails only if the lock can't be had: it is never taken from a process that may be alive. */
export function inRepository<T>(host: Host, commonDir: string, work: () => Promise<T>): Promise<InTurn<T>> {
  const before = under.get(commonDir) ?? Promise.resolve();
  const next = before.then(() => locked(host, commonDir, work));
  const settled = next.catch(() => {});
  under.set(commonDir, settled);
  void settled.then(() => {
    if (under.get(commonDir) === settled) under.delete(commonDir);
  });
  return next;
}

async function locked<T>(host: Host, commonDir: string, work: () => Promise<T>): Promise<InTurn<T>> {
  const path = repositoryLock(commonDir);
  await host.files.makeFolder(dirname(path), 0o700);
  const deadline = host.clock.elapsed() + LONGEST_WAIT_MS;
  for (;;) {
    const attempt = await takeLock(host, path);
    if (attempt.ok) {
      try {
        return { ok: true, value: await work() };
      } finally {
        await attempt.lock.release();
      }
    }
    if (attempt.kind !== 'held' || host.clock.elapsed() > deadline) {
      return { ok: false, reason: `another process works on the worktrees of this repository: ${attempt.reason}` };
    }
    await host.clock.sleep(POLL_MS * (0.5 + host.random()));
  }
}

const POLL_MS = 40;
const LONGEST_WAIT_MS = 120_000;
