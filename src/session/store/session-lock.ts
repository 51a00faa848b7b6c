/** One writer per session: opening it for writing takes its lock, and a second writer is refused before any request. */

import { dirname } from 'node:path';
import type { SessionLayout } from '../../config/paths.js';
import type { Host } from '../../host/host.js';
import { inspectLock, type LockAttempt, type LockHeld, takeLock } from '../../host/locks/lock.js';
import { localTime } from '../../protocol/format-numbers.js';
import { reasonOf } from '../../protocol/reason-of.js';
import { makeDurableFolder } from '../transcript/durable-folder.js';
import { noteClosed, noteOpened } from './recent-sessions.js';

function sessionLockPath(layout: SessionLayout): string {
  return `${layout.folder}.lock`;
}

/** Take the lock before reading the transcript, so that no other writer can change what was read. */
export async function lockSession(host: Host, layout: SessionLayout): Promise<LockAttempt> {
  const path = sessionLockPath(layout);
  try {
    await makeDurableFolder(host.files, dirname(path));
  } catch (error) {
    const reason = reasonOf(error);
    return { ok: false, kind: 'failed', reason: `the session can't be opened for writing: ${reason}`, cause: error };
  }
  const attempt = await takeLock(host, path);
  if (!attempt.ok) return explained(host, attempt);
  await noteOpened(host, layout);
  const release = async () => {
    const isReleased = await attempt.lock.release();
    await noteClosed(host, layout);
    return isReleased;
  };
  return { ...attempt, lock: { ...attempt.lock, release } };
}

/** Inspects the lock of a session. A lock left by a dead process is reported as free. */
export async function sessionInUse(host: Host, layout: SessionLayout): Promise<LockHeld | 'free'> {
  const found = await inspectLock(host, sessionLockPath(layout));
  return found === 'free' ? found : explained(host, found);
}

function explained(host: Host, held: LockHeld): LockHeld {
  switch (held.kind) {
    case 'held':
      return {
        ...held,
        reason: `This session is open in another process${describeOwner(host, held)}. Close it, ${OR_BRANCH}`,
      };
    case 'doubtful':
      return { ...held, reason: `This session may be open in another process: ${held.reason}, ${OR_BRANCH}` };
    case 'failed':
      return { ...held, reason: `the session can't be opened for writing: ${held.reason}` };
    default:
      return held.kind satisfies never;
  }
}

const OR_BRANCH = 'or use --branch to continue in a copy.';

/** With the time alone if it is of today. */
function describeOwner({ clock }: Host, { owner }: LockHeld): string {
  if (owner === undefined) return '';
  const [today = ''] = localTime(clock.now()).split(' ');
  return ` (pid ${owner.pid}, since ${localTime(Date.parse(owner.since)).replace(`${today} `, '')})`;
}
