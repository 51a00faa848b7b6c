/**
 * What a fork began with, from its parent's transcript: nothing of it is copied into the fork's own. The parent's
 * records are never rewritten, so the reference stays good; a hash over the bytes says whether it is.
 */

import type { ForkReference } from '../../protocol/events.js';
import type { HistoryView } from '../../protocol/history.js';
import { historyHash } from './history-hash.js';
import type { ReadState, ReadStateOptions, StateRead } from './read-state.js';

export type ResolvedFork =
  | { readonly ok: true; readonly history: HistoryView }
  | { readonly ok: false; readonly reason: string };

/** Reads the state of an agent of a session, with these options. */
export type ReadParent = (session: string, agent: string, options: ReadStateOptions) => Promise<StateRead>;

/** A fork can't fork, but what it forked from may be a fork's resumed session: never so deep. */
const MAX_DEPTH = 16;

/** Each reference is resolved once, however many siblings share it. */
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
  if (depth === 0) return { ok: false, reason: `${name}: forks refer to each other in a circle` };
  const options = { upTo };
  let read = await readParent(session, agent, options);
  if (read.kind === 'read' && read.state.spawned?.fork !== undefined) {
    const base = await resolve(read.state.spawned.fork, readParent, depth - 1);
    if (!base.ok) return base;
    read = await readParent(session, agent, { ...options, inherited: base.history });
  }
  switch (read.kind) {
    case 'missing':
      return { ok: false, reason: `${name}, which this fork began with, is gone` };
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
  const reason = damage.told[0] ?? 'the bytes are not those it was made from';
  return { ok: false, reason: `${name} is no longer what this fork began with: ${reason}` };
}
