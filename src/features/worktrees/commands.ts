/** `worktrees`, `apply-worktree` and `remove-worktree`: those of the session's repository, named also by its agents. */

import { join } from 'node:path';
import type { Runtime } from '../../agents/runtime.js';
import type { AgentSpawned } from '../../protocol/events.js';
import type { KnownAgent, WorktreesScope } from './repository-worktrees.js';

/** Loaded when the first is asked for: a session that has none pays nothing. */
export async function loadWorktrees(runtime: Runtime) {
  return { ...(await import('./repository-worktrees.js')), place: placeOf(runtime) };
}

function placeOf(runtime: Runtime): WorktreesScope {
  const { host, trusted, layoutOf, session, hooks, agents, ended } = runtime;
  // Also where nothing of the session is kept: what an agent made in a worktree is.
  const records = join(layoutOf(session).folder, '..', 'worktrees');
  const known = new Map<string, KnownAgent>();
  for (const [id, { spawned }] of ended) known.set(id, knownAs(id, spawned));
  for (const [id, { record }] of agents) known.set(id, knownAs(id, record));
  return { host, trusted, records, agents: [...known.values()], hooks };
}

function knownAs(id: string, { name, worktree }: Pick<AgentSpawned, 'name' | 'worktree'>): KnownAgent {
  return {
    id,
    ...(name === undefined ? {} : { name }),
    ...(worktree === undefined ? {} : { worktree: worktree.name }),
  };
}
