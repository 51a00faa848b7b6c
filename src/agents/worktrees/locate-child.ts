/** Where a new child works: in a worktree of its own, in its parent's, or where its parent works. */

import type { AgentStart } from '../live-agent.js';
import type { Runtime } from '../runtime.js';
import type { SpawnRequest } from '../start/plan.js';
import { toldInWorktree } from './map-into-worktree.js';
import type { MadeWorktree } from './session-worktrees.js';

export type ChildLocation =
  | {
      readonly ok: true;
      readonly start: AgentStart;
      /** The worktree that was made for it. */
      readonly made?: MadeWorktree;
      /** Nothing was started: its worktree is let go of, and removed if it was made for it. */
      giveBack(): Promise<void>;
    }
  | { readonly ok: false; readonly reason: string };

/** The last step before its record: it may take long, and what it makes would be left behind by a later refusal. */
export async function locateChild(runtime: Runtime, request: SpawnRequest, start: AgentStart): Promise<ChildLocation> {
  const { parent, isolation, signal } = request;
  if (isolation === undefined) return shareParents(runtime, request, start);
  const { agent } = start.record;
  const isFork = 'fork' in request.kind;
  const made = await runtime.worktrees.make({ agent, isFork, parent, signal });
  if (!made.ok) return made;
  const { worktree, host, roots } = made;
  const { files: _, told, ...rest } = start;
  return {
    ok: true,
    made,
    start: {
      ...rest,
      host,
      record: { ...start.record, cwd: host.folder, roots, worktree },
      // What its parent has read are other files than those here.
      ...(told === undefined ? {} : { told: { ...told, names: toldInWorktree(worktree, told.names) } }),
    },
    giveBack: async () => void (await runtime.worktrees.letGo(worktree, agent, 'settle')),
  };
}

/** A child of an agent in a worktree works there too, and keeps it from being removed. */
async function shareParents(runtime: Runtime, { parent }: SpawnRequest, start: AgentStart): Promise<ChildLocation> {
  const { worktree } = parent.record;
  if (worktree === undefined) return { ok: true, start, giveBack: async () => {} };
  const { agent } = start.record;
  if (!(await runtime.worktrees.join(worktree, agent))) {
    return { ok: false, reason: `the worktree ${worktree.path} is not held any more` };
  }
  return {
    ok: true,
    start: { ...start, record: { ...start.record, roots: parent.roots, worktree } },
    giveBack: async () => void (await runtime.worktrees.letGo(worktree, agent, 'settle')),
  };
}
