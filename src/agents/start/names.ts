/**
 * The names agents are written to. A name is claimed before anything is prepared for its agent, so that two calls of one
 * reply can't both have it. Who had which name is in the records of the agents; this is their index.
 */

import type { AgentSpawned } from '../../protocol/events.js';
import type { LiveAgent } from '../live-agent.js';
import type { Runtime } from '../runtime.js';

/** Words that mean somebody already, whoever asks. */
const RESERVED = new Set(['main', 'parent']);

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

export type Claim = { readonly ok: true; release(): void } | { readonly ok: false; readonly reason: string };

/** Synchronous. Release it when the agent is on record, or when nothing was started. */
export function claimName(runtime: Runtime, name: string | undefined, purpose: string): Claim {
  if (name === undefined) return { ok: true, release: () => {} };
  const reason = whyTaken(runtime, name);
  if (reason !== undefined) return { ok: false, reason };
  runtime.names.claim(name, purpose);
  return { ok: true, release: () => runtime.names.release(name) };
}

/** Two agents at work can't share a name. An agent that has ended gives its name up. */
function whyTaken(runtime: Runtime, name: string): string | undefined {
  const { agents, ended, shellTasks, names } = runtime;
  if (RESERVED.has(name.toLowerCase()) || agents.has(name) || ended.has(name) || shellTasks.has(name)) {
    return `"${name}" is taken; choose another name.`;
  }
  const purpose = names.claimedFor(name);
  if (purpose !== undefined) {
    return `The name "${name}" belongs to an agent that is being started right now (${purpose}). Choose another, or write to it with SendMessage.`;
  }
  const holder = [...agents.values()].find((agent) => agent.record.name === name && agent.isAtWork);
  if (holder === undefined) return undefined;
  return `The name "${name}" belongs to ${holder.id} (${holder.type}, ${holder.record.description}), which is at work. Choose another, or write to it with SendMessage.`;
}

/** The id of who a name means: the newest that is at work, or else the newest of all. */
export function holderOf({ names, agents }: Runtime, name: string): string | undefined {
  const known = names.of(name);
  return (known.findLast(({ agent }) => agents.get(agent)?.isAtWork) ?? known.at(-1))?.agent;
}

/**
 * Who a name meant to this agent so far. One that was restored has forgotten to whom it wrote: then it meant the child it
 * named itself or, as far as anybody can tell, who had the name first.
 */
export function knownBefore({ names }: Runtime, agent: LiveAgent, name: string): string | undefined {
  const remembered = agent.knows.get(name);
  if (remembered !== undefined || !agent.isRestored) return remembered;
  const known = names.of(name);
  return (known.findLast(({ parent }) => parent === agent.id) ?? known[0])?.agent;
}
