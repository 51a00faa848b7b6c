/**
 * The names of agents. A name is claimed before its agent is prepared, so that two calls of one reply can't both get
 * it. This is an index of the names in the agents' records.
 */

import type { AgentSpawned } from '../../protocol/events.js';

export class Names {
  /** Names of agents being started, with the purpose of each. */
  readonly #claimed = new Map<string, string>();
  /** The agents started under each name, in order. */
  readonly #records = new Map<string, AgentSpawned[]>();

  claim(name: string, purpose: string): void {
    this.#claimed.set(name, purpose);
  }

  release(name: string): void {
    this.#claimed.delete(name);
  }

  /** The purpose of the agent being started under this name. */
  claimedFor(name: string): string | undefined {
    return this.#claimed.get(name);
  }

  /** Adds a recorded agent, which can then be found by its name. */
  add(record: AgentSpawned): void {
    if (record.name === undefined) return;
    this.#records.set(record.name, [...this.of(record.name), record]);
  }

  /** The agents started under this name, in order. */
  of(name: string): readonly AgentSpawned[] {
    return this.#records.get(name) ?? [];
  }
}
