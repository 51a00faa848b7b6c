/** Events folded into a state as `emit` does it, and a turn to begin with. */

import { text } from '../../../src/protocol/blocks.js';
import type { AgentEvent } from '../../../src/protocol/events.js';
import { type AgentState, createState } from '../../../src/session/state/agent-state.js';
import { isDurable, reduce } from '../../../src/session/state/reduce.js';
import { admitted, call, epoch, finished, joined, replied, started, thought, turn } from './sample-events.js';
import { LIVE } from './sample-kinds.js';

/** As `emit` does: durable events are numbered. */
export function fold(events: readonly AgentEvent[], state = createState(), past?: AgentState): AgentState {
  for (const event of events) reduce(state, event, isDurable(event) ? state.lastSeq + 1 : undefined, past);
  return state;
}

/** One turn with a call, answered; the request was accepted. */
export const TURN: readonly AgentEvent[] = [
  started(),
  admitted('go'),
  joined(2),
  turn(),
  epoch(),
  LIVE['response-began'],
  replied([thought('hm'), call('a')], 'tool_use'),
  finished('a'),
  joined(7),
  turn(2),
  LIVE['response-began'],
  replied([text('done')]),
];
