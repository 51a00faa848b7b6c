/** Keeps a view of a session up to date from its events. */

import { realClock } from '../../host/clock.js';
import type { SessionEvent } from '../../protocol/events.js';
import type { Session } from '../sdk/session.js';
import { createView, type SessionView } from '../view/session-view.js';

export type Show = (view: SessionView, sessionEvent: SessionEvent, now: number) => void;

/** `before` and `after` are called with each event and the view as it was, or is, then. */
export function followSession(session: Session, before: Show = () => {}, after: Show = () => {}): SessionView {
  const { model, cwd: folder, mode } = session;
  const view = createView({ main: { model, folder, mode } });
  session.watch((sessionEvent) => {
    const now = realClock.elapsed();
    before(view, sessionEvent, now);
    view.apply(sessionEvent, now);
    after(view, sessionEvent, now);
  });
  return view;
}
