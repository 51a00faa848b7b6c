/** Opens the copy of a session, in the same mode and with the same model. */

import type { SessionOptions } from '../../../engine/session-options.js';
import { openSession } from '../../sdk/open-session.js';
import type { Session } from '../../sdk/session.js';

/** Resolves with the reason if it can't be opened. `given`: what the first session was opened with. */
export async function openBranch(given: SessionOptions, from: Session, id: string): Promise<Session | string> {
  if (given.replay !== undefined) return 'a session that is replayed has no branches: they were not recorded';
  // One file holds one session: the branch is not recorded.
  const { sessionId: _id, branch: _branch, rewind: _rewind, resumeAt: _at, record: _record, ...same } = given;
  // The same worktree: it is held by both until the first is closed.
  const place = from.worktree === undefined ? {} : { worktree: from.worktree.name };
  const opened = await openSession({ ...same, ...place, resume: id, model: from.model, permissionMode: from.mode });
  return opened.ok ? opened.session : opened.reason;
}
