/**
 * The only function that changes an agent's state. `emit` calls it once the record is on disk; the transcript reader
 * calls it for each record in order.
 */

import type * as z from 'zod';
import type { AgentEvent, DurableEvent, LiveEvent } from '../../protocol/events.js';
import { cachedTokens } from '../../protocol/usage.js';
import type { AgentState } from './agent-state.js';
import { acceptRequest, CONVERSATION_ROWS } from './conversation-rows.js';
import type { EventRow, EventRows } from './event-row.js';
import { INPUT_ROWS } from './input-rows.js';
import { LIFE_ROWS } from './life-rows.js';

/** `seq`: the record's number. `past`: the state a rewind returns to. */
export function reduce(state: AgentState, event: AgentEvent, seq?: number, past?: AgentState): void {
  if (!isDurable(event)) {
    reduceLive(state, event);
    return;
  }
  const row = rowOf(event.kind) as EventRow<DurableEvent['kind']>;
  row.apply?.(state, event, seq ?? state.lastSeq, past);
  if (seq !== undefined) state.lastSeq = Math.max(state.lastSeq, seq);
}

/** Live events carry what only this process can know about its own requests. */
function reduceLive(state: AgentState, event: LiveEvent): void {
  switch (event.kind) {
    case 'response-began': {
      acceptRequest(state);
      state.lastRequest = { ...state.lastRequest, cached: cachedTokens(event.usage) };
      return;
    }
    default:
  }
}

/** The table of durable events: one row holds everything about a kind. */
const EVENTS: EventRows = { ...INPUT_ROWS, ...CONVERSATION_ROWS, ...LIFE_ROWS };

export function rowOf<K extends DurableEvent['kind']>(kind: K): EventRow<K> {
  return EVENTS[kind];
}

export function isDurableKind(kind: string): kind is DurableEvent['kind'] {
  return Object.hasOwn(EVENTS, kind);
}

export function isDurable(event: AgentEvent): event is DurableEvent {
  return isDurableKind(event.kind);
}

/** True if this event, and everything before it, must survive a power loss. */
export function needsSync(event: DurableEvent): boolean {
  const { sync } = rowOf(event.kind) as EventRow<DurableEvent['kind']>;
  return typeof sync === 'boolean' ? sync : sync(event);
}

/** Returns the reason why a record that was read can't be used; undefined if it can. */
export function checkEvent(event: DurableEvent): string | undefined {
  const schema = schemas.get(event.kind) ?? rowOf(event.kind).schema();
  schemas.set(event.kind, schema);
  const { success, error } = schema.safeParse(event);
  if (success) return undefined;
  const issue = error.issues[0];
  return `${event.kind}: ${issue?.path.join('.') || 'record'}: ${issue?.message ?? 'not valid'}`;
}

/** Filled as kinds are first read. */
const schemas = new Map<DurableEvent['kind'], z.ZodType>();

export const DURABLE_KINDS: readonly string[] = Object.keys(EVENTS);

/** The kinds that concern an agent's life. */
export const LIFE_KINDS: ReadonlySet<string> = new Set(
  Object.entries(EVENTS).flatMap(([kind, row]) => ('life' in row && row.life ? [kind] : [])),
);
