/**
 * Resolves the history a fork began with from its parent's transcript; the fork's own transcript holds no copy.
 * The parent's records are never rewritten, so the reference stays valid; a hash over the bytes verifies it.
 */

import type { ForkReference } from '../../protocol/events.js';
import type { HistoryView } from '../../protocol/history.js';
import { historyHash } from './history-hash.js';
import type { ReadState, ReadStateOptions, StateRead } from './read-state.js';

export type ResolvedFork =
  | { readonly ok: true; readonly history: HistoryView }
  | { readonly ok: false; readonly reason: string };

export type ReadParent = (session: string, agent: string, options: ReadStateOptions) => Promise<StateRead>;

/** A fork can't fork, but its parent may be a resumed session that began as a fork. Chains are never this deep. */
const MAX_DEPTH = 16;

/** Resolves each reference once, however many siblings share it. */
export function createForkResolver(readParent: ReadParent): (reference: ForkReference) => Promise<ResolvedFork> {
  const known = new Map<string, Promise<ResolvedFork>>();
  return (reference) => {
    const { session, agent, upTo, messages, sha256 } = reference;
    const key = JSON.stringify([session, agent, upTo, messages, sha256]);
    const resolved = known.get(key) ?? resolveFork(reference, readParent);
    known.set(key, resolved);
    return resolved;
  };
}

export function resolveFork(reference: ForkReference, readParent: ReadParent): Promise<ResolvedFork> {
  return resolve(reference, readParent, MAX_DEPTH);
}

async function resolve(reference: ForkReference, readParent: ReadParent, depth: number): Promise<ResolvedFork> {
  const { session, agent, upTo } = reference;
  const name = `the conversation of ${agent} in session ${session}`;
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

function verify(reference: ForkReference, { state, damage }: ReadState, name: string): ResolvedFork {
  const history = state.history.view(reference.messages);
  if (history.length === reference.messages && historyHash(history) === reference.sha256) return { ok: true, history };
  const reason = damage.told[0] ?? 'its bytes have changed';
  return { ok: false, reason: `${name} has changed since this fork began: ${reason}` };
}
