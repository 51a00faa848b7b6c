/** Tells, for each call, what its tool and the agents it started are doing. */

import { escapeToLine } from '../../protocol/escape-controls.js';
import { type AgentEvent, type Listener, MAIN_AGENT } from '../../protocol/events.js';

export class CallProgress {
  readonly #told = new Map<string, (line: string) => void>();
  /** Which call an agent works for: it started it, or one of its agents did. */
  readonly #callOf = new Map<string, string>();

  /** Returns a function that ends it. */
  follow(call: string, tell: (line: string) => void): () => void {
    this.#told.set(call, tell);
    return () => {
      this.#told.delete(call);
      for (const [agent, of] of this.#callOf) if (of === call) this.#callOf.delete(agent);
    };
  }

  readonly onEvent: Listener = ({ agent, event }) => {
    this.#adopt(agent, event);
    if (agent === MAIN_AGENT) {
      if (event.kind === 'call-progressed') this.#told.get(event.call)?.(shorten(event.line));
      return;
    }
    const tell = this.#told.get(this.#callOf.get(agent) ?? '');
    const line = tell && describe(event);
    if (line !== undefined) tell?.(shorten(line));
  };

  #adopt(agent: string, event: AgentEvent): void {
    if (event.kind === 'agent-spawned') {
      const call = this.#told.has(event.call) ? event.call : this.#callOf.get(event.parent);
      if (call !== undefined) this.#callOf.set(event.agent, call);
    }
    // One that has ended before goes on for another call.
    if (event.kind === 'agent-state-changed' && event.call !== undefined && this.#told.has(event.call)) {
      this.#callOf.set(agent, event.call);
    }
  }
}

function describe(event: AgentEvent): string | undefined {
  switch (event.kind) {
    case 'agent-spawned':
      return `${event.type}: ${event.description}`;
    case 'agent-queued':
      return 'waits for a free place';
    case 'call-started':
      return `${event.tool} ${JSON.stringify(event.input)}`;
    case 'call-progressed':
    case 'fault-met':
      return event.line;
    case 'response-discarded':
      return event.line;
    default:
      return undefined;
  }
}

const MOST_CHARACTERS = 200;

function shorten(line: string): string {
  const one = escapeToLine(line);
  return one.length > MOST_CHARACTERS ? `${one.slice(0, MOST_CHARACTERS - 1).toWellFormed()}…` : one;
}
