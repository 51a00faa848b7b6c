/** Chooses where a new child works: in its own worktree, in its parent's, or in its parent's folder. */

import type { Result } from '../../protocol/result.js';
import type { AgentStart } from '../live-agent.js';
import type { Runtime } from '../runtime.js';
import type { SpawnRequest } from '../start/plan.js';
import { announcedInWorktree } from './map-into-worktree.js';
import type { MadeWorktree } from './session-worktrees.js';

export type ChildLocation = Result<{
  readonly start: AgentStart;
  /** The worktree created for it. */
  readonly made?: MadeWorktree;
  /** Called if nothing was started: releases its worktree, and removes it if it was created for the child. */
  release(): Promise<void>;
}>;

/** The last step before its record: it may be slow, and a later refusal would leave behind what it creates. */
export async function locateChild(runtime: Runtime, request: SpawnRequest, start: AgentStart): Promise<ChildLocation> {
  const { parent, isolation, signal } = request;
  if (isolation === undefined) return shareParents(runtime, request, start);
  const { agent } = start.record;
  const isFork = 'fork' in request.kind;
  const made = await runtime.worktrees.make({ agent, isFork, parent, signal });
  if (!made.ok) return made;
  const { worktree, host, roots } = made;
  const { files: _, announced, ...rest } = start;
  return {
    ok: true,
    made,
    start: {
      ...rest,
      host,
      record: { ...start.record, cwd: host.folder, roots, worktree },
      // The files that its parent has read are different from those here.
      ...(announced === undefined
        ? {}
        : { announced: { ...announced, names: announcedInWorktree(worktree, announced.names) } }),
    },
    release: async () => void (await runtime.worktrees.release(worktree, agent, 'settle')),
  };
}

/** A child of an agent in a worktree works there too, and prevents its removal. */
async function shareParents(runtime: Runtime, { parent }: SpawnRequest, start: AgentStart): Promise<ChildLocation> {
  const { worktree } = parent.record;
  if (worktree === undefined) return { ok: true, start, release: async () => {} };
  const { agent } = start.record;
  if (!(await runtime.worktrees.join(worktree, agent))) {
    return { ok: false, reason: `the worktree ${worktree.path} is not held any more` };
  }
  return {
    ok: true,
    start: { ...start, record: { ...start.record, roots: parent.roots, worktree } },
    release: async () => void (await runtime.worktrees.release(worktree, agent, 'settle')),
  };
}
