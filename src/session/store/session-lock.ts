/** One writer per session: whoever opens it for writing holds its lock, and a second one is refused before any request. */

import { dirname } from 'node:path';
import type { SessionPlaces } from '../../config/paths.js';
import type { Host } from '../../host/host.js';
import { inspectLock, type Lock, type LockHeld, takeLock } from '../../host/lock.js';

export type SessionLock = { readonly ok: true; readonly lock: Lock } | LockHeld;

function sessionLockPath(places: SessionPlaces): string {
  return `${places.folder}.lock`;
}

/** Take it before the transcript is read: what is read then can't be changed by another writer. */
export async function lockSession(host: Host, places: SessionPlaces): Promise<SessionLock> {
  const path = sessionLockPath(places);
  try {
    await host.files.makeFolder(dirname(path), 0o700);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { ok: false, reason: 'failed', line: `the session can't be opened for writing: ${why}` };
  }
  const attempt = await takeLock(host, path);
  return attempt.ok ? attempt : explained(attempt);
}

/** Whether somebody writes the session now. A lock left behind by the dead counts as free. */
export async function sessionInUse(host: Host, places: SessionPlaces): Promise<LockHeld | 'free'> {
  const found = await inspectLock(host, sessionLockPath(places));
  return found === 'free' ? found : explained(found);
}

function explained(held: LockHeld): LockHeld {
  switch (held.reason) {
    case 'held':
      return {
        ...held,
        line: `the session is in use (${held.line}): end that one, or go on as a new one with --branch`,
      };
    case 'doubtful':
      return { ...held, line: `the session may be in use: ${held.line}, or go on as a new one with --branch` };
    case 'failed':
      return { ...held, line: `the session can't be opened for writing: ${held.line}` };
    default:
      return held.reason satisfies never;
  }
}
