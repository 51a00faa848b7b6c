/**
 * The names agents are written to. A name is claimed before anything is prepared for its agent, so that two calls of one
 * reply can't both have it. Who had which name is in the records of the agents; this is their index.
 */

import type { AgentSpawned } from '../../protocol/events.js';

export class Names {
  /** Of agents that are being started, with what each is for. */
  readonly #claimed = new Map<string, string>();
  /** By name: who was started under it, in order. */
  readonly #records = new Map<string, AgentSpawned[]>();

  claim(name: string, purpose: string): void {
    this.#claimed.set(name, purpose);
  }

  release(name: string): void {
    this.#claimed.delete(name);
  }

  /** What the agent is for that is being started under this name. */
  claimedFor(name: string): string | undefined {
    return this.#claimed.get(name);
  }

  /** It is on record: from now on it is found by its name. */
  add(record: AgentSpawned): void {
    if (record.name === undefined) return;
    this.#records.set(record.name, [...this.of(record.name), record]);
  }

  /** Who was started under this name, in order. */
  of(name: string): readonly AgentSpawned[] {
    return this.#records.get(name) ?? [];
  }
}
