/**
 * Publishes every event of an agent: appends the record, reduces the state, then calls the listeners. One queue per
 * agent keeps all three in the same order.
 */

import { aborted, newAbort } from '../host/clock.js';
import {
  type AgentEvent,
  type DurableEvent,
  type Listener,
  type LiveEvent,
  MAIN_AGENT,
  type SessionEvent,
} from '../protocol/events.js';
import { reasonOf } from '../protocol/reason-of.js';
import type { AgentState } from './state/agent-state.js';
import { isDurable, reduce } from './state/reduce.js';
import type { AppendPort } from './transcript/append-port.js';

export interface Emit {
  /**
   * Resolves with the record's number once it is on disk and the state has changed. Rejects with a TranscriptError if
   * the record could not be saved; nothing has changed then. `past`: the state a rewind returns to.
   */
  (event: DurableEvent, past?: AgentState): Promise<number>;
  /** Resolves immediately. */
  (event: LiveEvent): Promise<undefined>;
}

export type EmitOptions = {
  readonly agent: string;
  readonly state: AgentState;
  readonly log: AppendPort;
  readonly listeners: Listeners;
  /** Called with this agent's events only, before the other listeners. Must not throw. */
  readonly own?: (event: AgentEvent) => void;
};

export function createEmit({ agent, state, log, listeners, own }: EmitOptions): Emit {
  let queue: Promise<unknown> = Promise.resolve();

  function publish(event: AgentEvent, seq?: number): void {
    own?.(event);
    listeners.notify({ agent, seq, event });
  }

  function append(event: DurableEvent, past: AgentState | undefined): Promise<number> {
    const work = queue.then(async () => {
      const seq = await log.append(event, state.lastSeq + 1);
      reduce(state, event, seq, past);
      publish(event, seq);
      return seq;
    });
    queue = work.catch(() => {});
    return work;
  }

  function emit(event: AgentEvent, past?: AgentState): Promise<number | undefined> {
    if (isDurable(event)) return append(event, past);
    reduce(state, event);
    publish(event);
    return Promise.resolve(undefined);
  }

  return emit as Emit;
}

/** Returns undefined if it is ready now. */
export type WhenReady = () => Promise<unknown> | undefined;

/** The listeners of a session. A listener that throws never stops the session; its first error is reported as an event. */
export class Listeners {
  readonly #entries = new Set<Entry>();
  /** Listeners for the events of one agent, by its id: with many agents, each event would otherwise be offered to all. */
  readonly #ofAgents = new Map<string, Set<Entry>>();
  /** For listeners that may be slow. One that was removed is not waited for. */
  readonly #paces = new Map<Entry, { readonly whenReady: WhenReady; readonly left: AbortController }>();
  readonly #queue: SessionEvent[] = [];
  #isNotifying = false;

  /** `missed`: events delivered to it first. Returns a function that removes the listener. */
  add(
    listener: Listener,
    kinds?: readonly AgentEvent['kind'][],
    { missed = [], whenReady }: { readonly missed?: readonly SessionEvent[]; readonly whenReady?: WhenReady } = {},
  ): () => void {
    const entry: Entry = { listener, kinds: kinds && new Set(kinds), isFaulty: false };
    this.#entries.add(entry);
    if (whenReady !== undefined) this.#paces.set(entry, { whenReady, left: newAbort() });
    for (const event of missed) this.#deliver(entry, event);
    return () => {
      this.#entries.delete(entry);
      this.#paces.get(entry)?.left.abort();
      this.#paces.delete(entry);
    };
  }

  /** Resolves when every listener has processed its events, or the signal aborts. Undefined: all have. */
  ready(signal: AbortSignal): Promise<unknown> | undefined {
    const slow = [...this.#paces].flatMap(([entry, { whenReady, left }]) => {
      const ready = this.#paceOf(entry, whenReady);
      return ready === undefined ? [] : [Promise.race([ready, aborted(left.signal)])];
    });
    return slow.length === 0 ? undefined : Promise.race([Promise.allSettled(slow), aborted(signal)]);
  }

  /** One that throws is not waited for. */
  #paceOf(entry: Entry, whenReady: WhenReady): Promise<unknown> | undefined {
    try {
      return whenReady();
    } catch (error) {
      this.#report(entry, { agent: MAIN_AGENT, at: 'whenReady' }, error);
      return undefined;
    }
  }

  /** Calls the listener with the events of one agent only, after the listeners for all. */
  addFor(agent: string, listener: Listener, kinds?: readonly AgentEvent['kind'][]): () => void {
    const entry: Entry = { listener, kinds: kinds && new Set(kinds), isFaulty: false };
    const entries = this.#ofAgents.get(agent) ?? new Set();
    this.#ofAgents.set(agent, entries.add(entry));
    return () => {
      entries.delete(entry);
      if (entries.size === 0 && this.#ofAgents.get(agent) === entries) this.#ofAgents.delete(agent);
    };
  }

  /** An event that a listener emits is queued until all listeners have seen the current one, so all see one order. */
  notify(event: SessionEvent): void {
    this.#queue.push(event);
    if (this.#isNotifying) return;
    this.#isNotifying = true;
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) this.#notifyOne(next);
    this.#isNotifying = false;
  }

  #notifyOne(event: SessionEvent): void {
    for (const entry of this.#entries) this.#deliver(entry, event);
    for (const entry of this.#ofAgents.get(event.agent) ?? []) this.#deliver(entry, event);
  }

  #deliver(entry: Entry, event: SessionEvent): void {
    if (entry.kinds?.has(event.event.kind) === false) return;
    const place = { agent: event.agent, at: event.event.kind };
    try {
      // An async function is also a valid Listener by type; nothing else would catch its rejection.
      const returned: unknown = entry.listener(event);
      if (returned instanceof Promise) returned.catch((error) => this.#report(entry, place, error));
    } catch (error) {
      this.#report(entry, place, error);
    }
  }

  #report(entry: Entry, { agent, at }: { readonly agent: string; readonly at: string }, error: unknown): void {
    if (entry.isFaulty) return;
    entry.isFaulty = true;
    const line = `a listener threw at ${at}: ${reasonOf(error)}`;
    this.notify({ agent, seq: undefined, event: { kind: 'line-shown', level: 'error', line } });
  }
}

/** `kinds`: the event kinds to deliver; undefined means all. */
type Entry = { readonly listener: Listener; readonly kinds: ReadonlySet<string> | undefined; isFaulty: boolean };
