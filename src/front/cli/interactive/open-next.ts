/** Opens the session to continue in: a copy of this one, in the same mode and with the same model, or another as it was left. */

import type { SessionOptions } from '../../../engine/session-options.js';
import { openSession } from '../../sdk/open-session.js';
import type { Session } from '../../sdk/session.js';

/** Resolves with the reason if it can't be opened. `given`: what the first session was opened with. */
export async function openNext(
  given: SessionOptions,
  from: Session,
  id: string,
  as: 'copy' | 'other',
): Promise<Session | string> {
  if (given.replay !== undefined) return 'a session that is replayed has no others: they were not recorded';
  // One file holds one session: the next is not recorded.
  const { sessionId: _id, branch: _branch, rewind: _rewind, resumeAt: _at, record: _record, ...same } = given;
  // The same worktree: it is held by both until the first is closed.
  const place = from.worktree === undefined ? {} : { worktree: from.worktree.name };
  const asNow = as === 'copy' ? { model: from.model, permissionMode: from.mode } : {};
  const opened = await openSession({ ...same, ...place, resume: id, ...asNow });
  return opened.ok ? opened.session : opened.reason;
}
