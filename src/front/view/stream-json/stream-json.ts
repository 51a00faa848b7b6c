/** Turns events into `stream-json` lines: one JSON object per message, in the shape that clients expect. */

import type { SessionEvent } from '../../../protocol/events.js';
import { pathOfAgent } from '../agent-path.js';
import type { SessionView } from '../session-view.js';
import type { Line, LineOptions } from './line.js';
import { messageLines } from './message-lines.js';
import { partialEvents } from './partial-events.js';
import { systemLines } from './system-line.js';

/** The lines for an event, given the view before it. Each names the call that started its agent; null for the main agent. */
export function streamJson(view: SessionView, sessionEvent: SessionEvent, options: LineOptions): readonly Line[] {
  const { agent, event } = sessionEvent;
  const { session, newId, partial } = options;
  const bodies: readonly Line[] = [
    ...messageLines(view, sessionEvent, options),
    ...(partial ? partialEvents(event).map((one) => ({ type: 'stream_event', event: one })) : []),
    ...systemLines(sessionEvent, options),
  ];
  if (bodies.length === 0) return bodies;
  const { call = null, depth = 0 } = view.agents.get(agent) ?? {};
  const chain = pathOfAgent(view, agent, session);
  const common = { parent_tool_use_id: call, session_id: session, chain, depth };
  return bodies.map((body) => ({ ...body, ...common, uuid: 'uuid' in body ? body.uuid : newId() }));
}
