/** Resolves the name of an agent, in any spelling, or of a folder, and a scope to a memory. */

import type { MemoryFolder } from '../../context/memory/find-memory.js';
import { type MemoryScope, normalizeType } from '../../protocol/agent-spawned.js';
import type { Failure } from '../../protocol/result.js';
import { nearestNames } from '../../tools/nearest-names.js';
import { findMemories, type KnownMemory } from './find-memories.js';
import type { MemoryLocation } from './memory-location.js';

/** `name`: the resolved memory. Absent: the request matches none. */
export type ResolvedMemory =
  | { readonly ok: true; readonly name: string; readonly scope: MemoryScope; readonly place: MemoryFolder }
  | (Failure & { readonly name?: string });

export async function resolveMemory(
  ground: MemoryLocation,
  requested: string,
  scope?: MemoryScope,
): Promise<ResolvedMemory> {
  const { memories } = await findMemories(ground);
  const exact = memories.filter(({ name, aliases }) => name === requested || aliases.includes(requested));
  const named = exact.length > 0 ? exact : memories.filter((memory) => isAlike(memory.name, requested));
  const candidates = scope === undefined ? named : named.filter((memory) => memory.scope === scope);
  const own = candidates.find(({ definedIn }) => definedIn !== undefined);
  const [only] = candidates;
  const resolved = own ?? (candidates.length === 1 ? only : undefined);
  if (resolved !== undefined) {
    const { name, place, reason = '' } = resolved;
    return place === undefined ? { ok: false, name, reason } : { ok: true, name, scope: resolved.scope, place };
  }
  const scopes = named.map((memory) => memory.scope).join(', ');
  if (candidates.length > 1) {
    return { ok: false, reason: `there is more than one memory ${requested}: say which with --scope (${scopes})` };
  }
  if (named.length > 0)
    return { ok: false, reason: `there is no memory of scope ${scope} for ${requested}; there is: ${scopes}` };
  return { ok: false, reason: explainUnknown(ground, memories, requested) };
}

/** Matches names the same way as calls do. */
function isAlike(name: string, requested: string): boolean {
  return normalizeType(requested) !== '' && normalizeType(name) === normalizeType(requested);
}

function explainUnknown({ definitions }: MemoryLocation, memories: readonly KnownMemory[], requested: string): string {
  const agent = definitions.find(({ name }) => normalizeType(name) === normalizeType(requested));
  if (agent !== undefined) {
    const { file, scope } = agent.source;
    const where = scope === 'built-in' ? 'an agent file of that name' : file;
    return `the agent ${agent.name} has no memory: "memory: project" in ${where} gives it one`;
  }
  const names = [...new Set(memories.map(({ name }) => name))];
  const near = nearestNames(requested, names);
  const hint = near.length > 0 ? `did you mean ${near.join(', ')}?` : nameSome(names);
  return `there is no agent ${JSON.stringify(requested)} with memory here; ${hint}`;
}

const MOST_NAMED = 8;

function nameSome(names: readonly string[]): string {
  if (names.length === 0) return 'none has ("memory: project" in an agent file gives it one)';
  return `there are: ${names.slice(0, MOST_NAMED).join(', ')}${names.length > MOST_NAMED ? ' …' : ''}`;
}
