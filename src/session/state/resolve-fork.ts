/**
 * Resolves the history a fork began with from its parent's transcript; the fork's own transcript holds no copy.
 * The parent's records are never rewritten, so the reference stays valid; a hash over the bytes verifies it.
 */

import type { ForkReference } from '../../protocol/events.js';
import type { HistoryView } from '../../protocol/history.js';
import type { Result } from '../../protocol/result.js';
import { historyHash } from './history-hash.js';
import { findCall, withOwnCall } from './own-call.js';
import type { ReadState, ReadStateOptions, StateRead } from './read-state.js';

export type ResolvedFork = Result<{ readonly history: HistoryView }>;

/** `before`: the history without its last message. */
type SharedHistory = Result<{ readonly history: HistoryView; readonly before: HistoryView }>;

export type ReadParent = (session: string, agent: string, options: ReadStateOptions) => Promise<StateRead>;

/** A fork can't fork, but its parent may be a resumed session that started as a fork. Chains are never this deep. */
const MAX_DEPTH = 16;

/** Resolves each reference only once, even if several siblings share it. */
export function createForkResolver(readParent: ReadParent): (reference: ForkReference) => Promise<ResolvedFork> {
  const known = new Map<string, Promise<SharedHistory>>();
  return (reference) => {
    const { session, agent, upTo, messages, sha256 } = reference;
    const key = JSON.stringify([session, agent, upTo, messages, sha256]);
    const shared = known.get(key) ?? readShared(reference, readParent, MAX_DEPTH);
    known.set(key, shared);
    return shared.then((read) => withoutSiblings(reference, read));
  };
}

async function resolve(reference: ForkReference, readParent: ReadParent, depth: number): Promise<ResolvedFork> {
  return withoutSiblings(reference, await readShared(reference, readParent, depth));
}

/** The part that all siblings share. */
async function readShared(reference: ForkReference, readParent: ReadParent, depth: number): Promise<SharedHistory> {
  const { session, agent, upTo } = reference;
  const name = nameOf(reference);
  if (depth === 0) return { ok: false, reason: `${name}: forks refer to each other in a cycle` };
  const options = { upTo };
  let read = await readParent(session, agent, options);
  if (read.kind === 'read' && read.state.spawned?.fork !== undefined) {
    const base = await resolve(read.state.spawned.fork, readParent, depth - 1);
    if (!base.ok) return base;
    read = await readParent(session, agent, { ...options, inherited: base.history });
  }
  switch (read.kind) {
    case 'missing':
      return { ok: false, reason: `${name}, which this fork began with, no longer exists` };
    case 'unreadable':
      return { ok: false, reason: `${name}, which this fork began with: ${read.reason}` };
    case 'read':
      return verify(reference, read, name);
    default:
      return read satisfies never;
  }
}

function verify(reference: ForkReference, { state, damage }: ReadState, name: string): SharedHistory {
  const { messages, sha256 } = reference;
  const history = state.history.view(messages);
  if (history.length === messages && historyHash(history) === sha256) {
    return { ok: true, history, before: state.history.view(messages - 1) };
  }
  const reason = damage.told[0] ?? 'its bytes have changed';
  return { ok: false, reason: `${name} has changed since this fork began: ${reason}` };
}

/** A fork that does not see its siblings gets only its own call of the last message. */
function withoutSiblings(reference: ForkReference, shared: SharedHistory): ResolvedFork {
  const { siblings, call = '' } = reference;
  if (!shared.ok || siblings !== 'own') return shared;
  const reply = shared.history.at(shared.history.length - 1);
  const own = reply && findCall(reply, call);
  if (reply !== undefined && own !== undefined) return { ok: true, history: withOwnCall(shared.before, reply, own) };
  return { ok: false, reason: `${nameOf(reference)} does not hold the call that began this fork` };
}

function nameOf({ agent, session }: ForkReference): string {
  return `the conversation of ${agent} in session ${session}`;
}
