/** Keeps a view of a session up to date from its events. */

import { realClock } from '../../host/clock.js';
import type { SessionEvent } from '../../protocol/events.js';
import type { Session } from '../sdk/session.js';
import { createView, type SessionView } from '../view/session-view.js';

/** `show` is called with each event and the view as it was before that event. */
export function followSession(
  session: Session,
  show: (view: SessionView, sessionEvent: SessionEvent) => void = () => {},
): SessionView {
  const { model, cwd: folder, mode } = session;
  const view = createView({ main: { model, folder, mode } });
  session.watch((sessionEvent) => {
    show(view, sessionEvent);
    view.apply(sessionEvent, realClock.elapsed());
  });
  return view;
}
