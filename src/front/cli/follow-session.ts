/** A client's own view of a session, kept up to date by its events. */

import { realClock } from '../../host/clock.js';
import type { SessionEvent } from '../../protocol/events.js';
import type { Session } from '../sdk/session.js';
import { createView, type SessionView } from '../view/session-view.js';

/** `show` gets each event with the view as it was before it. */
export function followSession(
  session: Session,
  show: (view: SessionView, watched: SessionEvent) => void = () => {},
): SessionView {
  const { model, cwd: folder, mode } = session;
  const view = createView({ main: { model, folder, mode } });
  session.watch((watched) => {
    show(view, watched);
    view.apply(watched, realClock.elapsed());
  });
  return view;
}
