/** Tracks which call of the main agent each agent works for: the one that started it, or one of its ancestors. */

import { type AgentEvent, MAIN_AGENT } from '../../protocol/events.js';

export class RootCalls {
  /** By agent, and by the running calls of agents below the main one. */
  readonly #calls = new Map<string, string>();

  of(agent: string): string | undefined {
    return this.#calls.get(agent);
  }

  take(agent: string, event: AgentEvent): void {
    const root = this.#calls.get(agent);
    if (event.kind === 'call-started' && root !== undefined) this.#calls.set(event.call, root);
    if (event.kind === 'call-finished') this.#calls.delete(event.call);
    if (event.kind === 'agent-spawned' || event.kind === 'agent-resumed') {
      const above = event.parent === MAIN_AGENT ? undefined : this.#calls.get(event.parent);
      this.#calls.set(agent, above ?? event.call);
    }
    // An agent that has ended before continues for another call.
    if (event.kind === 'agent-state-changed' && event.call !== undefined && event.state === 'running')
      this.#calls.set(agent, this.#calls.get(event.call) ?? event.call);
  }
}
