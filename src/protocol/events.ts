/**
 * Everything that happens in a session, as one closed union. Every client (plain, stream-json, library, terminal, page)
 * reads these, so a transcript replayed is a session watched.
 */

import type { DurableEvent } from './durable-event.js';
import type { LiveEvent } from './live-event.js';

export type { AgentMemory, AgentWorktree, ForkReference, Siblings } from './agent-spawned.js';
export * from './durable-event.js';
export * from './live-event.js';

export type AgentEvent = DurableEvent | LiveEvent;

/** An event as a listener receives it: with its agent, and its number in that agent's transcript if it has one. */
export type SessionEvent = { readonly agent: string; readonly seq: number | undefined; readonly event: AgentEvent };

/** Called for every event, in order. An exception is reported and does not stop the session. */
export type Listener = (event: SessionEvent) => void;
