/** The worktrees of a session's agents. Loads nothing before the first agent in one. */

import { join } from 'node:path';
import type { Feature } from '../../agents/feature.js';
import type { Runtime } from '../../agents/runtime.js';
import type { SessionWorktrees } from '../../agents/worktrees/session-worktrees.js';
import type { OpenWorktrees } from './open-worktrees.js';

export function worktreesFeature(runtime: () => Runtime): Feature & { readonly worktrees: SessionWorktrees } {
  let opening: Promise<OpenWorktrees> | undefined;
  const opened = () => (opening ??= openWorktrees(runtime()));
  return {
    name: 'the worktrees',
    worktrees: {
      make: async (request) => (await opened()).make(request),
      join: async (worktree, agent) => (await opened()).join(worktree, agent),
      reopen: async (worktree, agent) => (await opened()).reopen(worktree, agent),
      release: async (worktree, agent, how) => (await opening)?.release(worktree, agent, how),
      settleUnknown: async (known) => (await opened()).settleUnknown(known),
      leave: () => void opening?.then((worktrees) => worktrees.leave()),
    },
    close: async () => (await opening)?.close(),
  };
}

async function openWorktrees(runtime: Runtime): Promise<OpenWorktrees> {
  const { host, session, trusted, hooks, settings } = runtime;
  const loaded = await import('./open-worktrees.js');
  const records = recordsOf(runtime);
  return new loaded.OpenWorktrees({ host, session, trusted, hooks, settings: settings.worktree, records });
}

/** The folder for records that belong to no git repository, even if the session itself is not saved. */
export function recordsOf({ layoutOf, session }: Runtime): string {
  return join(layoutOf(session).folder, '..', 'worktrees');
}
