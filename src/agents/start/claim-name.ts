/** Claims a name for an agent, and says who a name means. */

import type { LiveAgent } from '../live-agent.js';
import type { Runtime } from '../runtime.js';

/** Words that mean somebody already, whoever asks. */
const RESERVED = new Set(['main', 'parent']);

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
