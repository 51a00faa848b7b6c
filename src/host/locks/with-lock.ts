/** Runs work exclusively pending a lock file, within this process and between processes. */

import { dirname } from 'node:path';
import type { Result } from '../../protocol/result.js';
import type { Host } from '../host.js';
import { takeLock } from './lock.js';

/** Pending work in this process, by lock file. */
const pending = new Map<string, Promise<unknown>>();

export type Locked<T> = Result<{ readonly value: T }>;

/** Fails only if the lock can't be acquired: it is never taken from a process that may be alive. */
export function withLock<T>(host: Host, lockFile: string, work: () => Promise<T>): Promise<Locked<T>> {
  const before = pending.get(lockFile) ?? Promise.resolve();
  const next = before.then(() => locked(host, lockFile, work));
  const settled = next.catch(() => {});
  pending.set(lockFile, settled);
  void settled.then(() => {
    if (pending.get(lockFile) === settled) pending.delete(lockFile);
  });
  return next;
}

async function locked<T>(host: Host, lockFile: string, work: () => Promise<T>): Promise<Locked<T>> {
  await host.files.makeFolder(dirname(lockFile), 0o700);
  const deadline = host.clock.elapsed() + LONGEST_WAIT_MS;
  for (;;) {
    const attempt = await takeLock(host, lockFile);
    if (attempt.ok) {
      try {
        return { ok: true, value: await work() };
      } finally {
        await attempt.lock.release();
      }
    }
    if (attempt.kind !== 'held' || host.clock.elapsed() > deadline) return { ok: false, reason: attempt.reason };
    await host.clock.sleep(POLL_MS * (0.5 + host.random()));
  }
}

const POLL_MS = 40;
const LONGEST_WAIT_MS = 120_000;
