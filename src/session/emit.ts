/** How everything that happens is told: the transcript first, then whoever watches. */

import {
  type AgentEvent,
  type DurableEvent,
  isDurable,
  type LiveEvent,
  type SessionEvent,
} from '../protocol/events.js';
import type { Transcript } from './transcript/transcript.js';

/** Awaited: when it resolves, a durable event is on disk. Rejects with a TranscriptError when it could not be saved. */
export interface Emit {
  (event: DurableEvent): Promise<number>;
  (event: LiveEvent): Promise<undefined>;
  /** The number of the last record. */
  lastSeq(): number;
}

/** Must not throw. */
export type Listener = (watched: SessionEvent) => void;

export function createEmit(agent: string, transcript: Transcript, listeners: Iterable<Listener>): Emit {
  async function emit(event: AgentEvent): Promise<number | undefined> {
    const seq = isDurable(event) ? await transcript.append(event) : undefined;
    for (const watch of listeners) watch({ agent, seq, event });
    return seq;
  }
  return Object.assign(emit, { lastSeq: () => transcript.lastSeq }) as Emit;
}
