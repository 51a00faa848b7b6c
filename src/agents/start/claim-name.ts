/** Claims names for agents, and resolves a name to an agent. */

import type { Result } from '../../protocol/result.js';
import type { LiveAgent } from '../live-agent.js';
import type { Runtime } from '../runtime.js';

/** Names with a fixed meaning. */
const RESERVED = new Set(['main', 'parent']);

export type Claim = Result<{ release(): void }>;

/** Claims a name synchronously. Release it once the agent is recorded, or if nothing was started. */
export function claimName(runtime: Runtime, name: string | undefined, purpose: string): Claim {
  if (name === undefined) return { ok: true, release: () => {} };
  const reason = explainTaken(runtime, name);
  if (reason !== undefined) return { ok: false, reason };
  runtime.names.claim(name, purpose);
  return { ok: true, release: () => runtime.names.release(name) };
}

/** Running agents can't share a name. An agent that has ended gives up its name. */
function explainTaken(runtime: Runtime, name: string): string | undefined {
  const { agents, ended, shellTasks, names } = runtime;
  if (RESERVED.has(name.toLowerCase()) || agents.has(name) || ended.has(name) || shellTasks.has(name)) {
    return `"${name}" is taken; choose another name.`;
  }
  const purpose = names.claimedFor(name);
  if (purpose !== undefined) {
    return `The name "${name}" belongs to an agent that is being started right now (${purpose}). Choose another, or write to it with SendMessage.`;
  }
  const holder = [...agents.values()].find((agent) => agent.record.name === name && agent.isActive);
  if (holder === undefined) return undefined;
  return `The name "${name}" belongs to ${holder.id} (${holder.type}, ${holder.record.description}), which is at work. Choose another, or write to it with SendMessage.`;
}

/** Resolves a name to the newest running agent, or else to the newest of all. */
export function holderOf({ names, agents }: Runtime, name: string): string | undefined {
  const known = names.of(name);
  return (known.findLast(({ agent }) => agents.get(agent)?.isActive) ?? known.at(-1))?.agent;
}

/**
 * The agent that this name has meant to `agent` so far. A restored agent no longer knows whom it wrote to; then the
 * name means the child it named itself or, as the best guess, the first agent with that name.
 */
export function knownBefore({ names }: Runtime, agent: LiveAgent, name: string): string | undefined {
  const remembered = agent.knows.get(name);
  if (remembered !== undefined || !agent.isRestored) return remembered;
  const known = names.of(name);
  return (known.findLast(({ parent }) => parent === agent.id) ?? known[0])?.agent;
}
