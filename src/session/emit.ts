/**
 * How everything that happens is told: the record is appended, the state follows from it, then the listeners hear of it.
 * One queue per agent, so that all three see the same order.
 */

import type { AgentEvent, DurableEvent, Listener, LiveEvent, SessionEvent } from '../protocol/events.js';
import { reasonOf } from '../protocol/reason-of.js';
import type { AgentState } from './state/agent-state.js';
import { isDurable, reduce } from './state/reduce.js';
import type { AppendPort } from './transcript/append-port.js';

export interface Emit {
  /**
   * Resolves with the record's number when it is on disk and the state has changed. Rejects with a TranscriptError when
   * it could not be saved; then nothing has changed. `past`: what a rewind goes back to.
   */
  (event: DurableEvent, past?: AgentState): Promise<number>;
  /** Resolves at once. */
  (event: LiveEvent): Promise<undefined>;
}

export type EmitOptions = {
  readonly agent: string;
  readonly state: AgentState;
  readonly log: AppendPort;
  readonly listeners: Listeners;
  /** Hears of this agent's events only, before the others. Must not throw. */
  readonly own?: (event: AgentEvent) => void;
};

export function createEmit({ agent, state, log, listeners, own }: EmitOptions): Emit {
  let queue: Promise<unknown> = Promise.resolve();

  function tell(event: AgentEvent, seq?: number): void {
    own?.(event);
    listeners.tell({ agent, seq, event });
  }

  function append(event: DurableEvent, past: AgentState | undefined): Promise<number> {
    const work = queue.then(async () => {
      const seq = await log.append(event, state.lastSeq + 1);
      reduce(state, event, seq, past);
      tell(event, seq);
      return seq;
    });
    queue = work.catch(() => {});
    return work;
  }

  function emit(event: AgentEvent, past?: AgentState): Promise<number | undefined> {
    if (isDurable(event)) return append(event, past);
    reduce(state, event);
    tell(event);
    return Promise.resolve(undefined);
  }

  return emit as Emit;
}

/** All that listen to a session. One that throws is told of to the others, once, and never stops the work. */
export class Listeners {
  readonly #entries = new Set<Entry>();
  readonly #queue: SessionEvent[] = [];
  #isTelling = false;

  /** Returns how to stop listening. */
  add(listener: Listener, kinds?: readonly AgentEvent['kind'][]): () => void {
    const entry: Entry = { listener, kinds: kinds && new Set(kinds), isFaulty: false };
    this.#entries.add(entry);
    return () => {
      this.#entries.delete(entry);
    };
  }

  /** What a listener causes is told when all have heard of its cause: they all see the same order. */
  tell(event: SessionEvent): void {
    this.#queue.push(event);
    if (this.#isTelling) return;
    this.#isTelling = true;
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) this.#tellOne(next);
    this.#isTelling = false;
  }

  #tellOne(event: SessionEvent): void {
    for (const entry of this.#entries) {
      if (entry.kinds?.has(event.event.kind) === false) continue;
      try {
        // An async function passes for a listener too: what it rejects with is nobody else's to catch.
        const returned: unknown = entry.listener(event);
        if (returned instanceof Promise) returned.catch((error) => this.#report(entry, event, error));
      } catch (error) {
        this.#report(entry, event, error);
      }
    }
  }

  #report(entry: Entry, { agent, event }: SessionEvent, error: unknown): void {
    if (entry.isFaulty) return;
    entry.isFaulty = true;
    const line = `a listener threw at ${event.kind}: ${reasonOf(error)}`;
    this.tell({ agent, seq: undefined, event: { kind: 'line-shown', level: 'error', line } });
  }
}

/** `kinds`: those it wants to hear of; undefined: all. */
type Entry = { readonly listener: Listener; readonly kinds: ReadonlySet<string> | undefined; isFaulty: boolean };
