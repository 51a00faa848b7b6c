/** The worktree commands for the session's repository; worktrees can also be named by their agents. */

import type { Runtime } from '../../agents/runtime.js';
import type { Applied } from '../../host/worktrees/apply-worktree.js';
import type { AgentSpawned } from '../../protocol/events.js';
import type { FeatureCommands } from '../feature-commands.js';
import type { KnownAgent, ListedWorktrees, Named, RemovedWorktree, WorktreesScope } from './repository-worktrees.js';
import { recordsOf } from './worktrees-feature.js';

export type WorktreeResults = {
  readonly worktrees: ListedWorktrees;
  readonly 'apply-worktree': Named<Applied>;
  readonly 'remove-worktree': Named<RemovedWorktree>;
};

export const WORKTREE_COMMANDS: FeatureCommands<WorktreeResults> = {
  worktrees: async (runtime) => {
    const { listHere, place } = await loadWorktrees(runtime);
    return listHere(place);
  },
  'apply-worktree': async (runtime, { worktree }) => {
    const { applyHere, place } = await loadWorktrees(runtime);
    return applyHere(place, worktree);
  },
  'remove-worktree': async (runtime, { worktree, discard }) => {
    const { removeHere, place } = await loadWorktrees(runtime);
    return removeHere(place, worktree, { discard });
  },
};

/** Loaded on first use, so that a session without worktrees pays nothing. */
export async function loadWorktrees(runtime: Runtime) {
  return { ...(await import('./repository-worktrees.js')), place: placeOf(runtime) };
}

function placeOf(runtime: Runtime): WorktreesScope {
  const { host, trusted, hooks, agents, ended } = runtime;
  const known = new Map<string, KnownAgent>();
  for (const [id, { spawned }] of ended) known.set(id, knownAs(id, spawned));
  for (const [id, { record }] of agents) known.set(id, knownAs(id, record));
  return { host, trusted, records: recordsOf(runtime), agents: [...known.values()], hooks };
}

function knownAs(id: string, { name, worktree }: Pick<AgentSpawned, 'name' | 'worktree'>): KnownAgent {
  return {
    id,
    ...(name === undefined ? {} : { name }),
    ...(worktree === undefined ? {} : { worktree: worktree.name }),
  };
}
