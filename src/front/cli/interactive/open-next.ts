/** Opens the session to continue in: a copy of this one with the same mode and model, or another as it was left. */

import type { SessionOptions } from '../../../engine/session-options.js';
import { openSession } from '../../sdk/open-session.js';
import type { Session } from '../../sdk/session.js';

/** Resolves with the reason if it can't be opened. `given`: the options of the first session. */
export async function openNext(
  given: SessionOptions,
  from: Session,
  id: string,
  as: 'copy' | 'other',
): Promise<Session | string> {
  if (given.replay !== undefined) return 'a replayed session has no other sessions: they were not recorded';
  // A recording holds one session; the next one is not recorded.
  const { sessionId: _id, branch: _branch, rewind: _rewind, resumeAt: _at, record: _record, ...same } = given;
  // Both sessions hold the worktree until the first is closed.
  const place = from.worktree === undefined ? {} : { worktree: from.worktree.name };
  const current = as === 'copy' ? { model: from.model, permissionMode: from.mode } : {};
  const opened = await openSession({ ...same, ...place, resume: id, ...current });
  return opened.ok ? opened.session : opened.reason;
}
