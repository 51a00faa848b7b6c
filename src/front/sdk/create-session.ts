/** The library's way in: a session, or an error that says what to do. */

import { openSession } from '../../engine/open-session.js';
import type { Session } from '../../engine/session.js';
import type { OpenFailure, SessionOptions } from '../../engine/session-options.js';

export class CoppiceError extends Error {
  override readonly name = 'CoppiceError';
  readonly kind: OpenFailure['kind'];

  constructor(failure: OpenFailure) {
    super(failure.reason);
    this.kind = failure.kind;
  }
}

/** Opens a session. Rejects with a CoppiceError when it can't be opened; afterwards, results say what went wrong. */
export async function createSession(options: SessionOptions = {}): Promise<Session> {
  const opened = await openSession(options);
  if (!opened.ok) throw new CoppiceError(opened);
  return opened.session;
}
