/** Keeps a view of a session up to date from its events. */

import type { Client } from '../../engine/attach-client.js';
import { realClock } from '../../host/clock.js';
import type { SessionEvent } from '../../protocol/events.js';
import type { Session } from '../sdk/session.js';
import { createView, type SessionView } from '../view/session-view.js';

export type Show = (view: SessionView, sessionEvent: SessionEvent, now: number) => void;

/** Calls `before` and `after` with each event, before and after it is applied to the view. */
export function followSession(
  session: Session,
  before: Show = () => {},
  after: Show = () => {},
  whenReady: Client['whenReady'] = () => undefined,
): SessionView {
  const { model, cwd: folder, mode } = session;
  const view = createView({ main: { model, folder, mode } });
  const onEvent: Client['onEvent'] = (sessionEvent) => {
    const now = realClock.elapsed();
    before(view, sessionEvent, now);
    view.apply(sessionEvent, now);
    after(view, sessionEvent, now);
  };
  session.attach({ onEvent, whenReady });
  return view;
}
