/** The hooks of one agent: the session's, with fields of that agent, and those of its definition. */

import { type Hooks, NO_HOOKS, showHooks } from '../../gate/hooks/hooks.js';
import { isHookAgent } from '../../protocol/agent-spawned.js';
import { text } from '../../protocol/blocks.js';
import { reminder } from '../../protocol/tags.js';
import type { LiveAgent } from '../live-agent.js';
import type { Runtime } from '../runtime.js';
import { inWorktree } from '../worktrees/map-into-worktree.js';

export function childHooks(runtime: Runtime): (agent: LiveAgent) => Hooks {
  return (agent) => {
    if (isHookAgent(agent.record)) return NO_HOOKS;
    const definition = agent.isFork ? undefined : runtime.catalog.find(agent.type);
    const counts = runtime.settings.definitionHooks && definition?.hooks !== undefined;
    const sources = counts ? [{ origin: definition.source.file, hooks: definition.hooks }] : [];
    const { worktree } = agent.record;
    const { folder } = agent.host;
    const project = worktree && inWorktree(worktree, runtime.projectRoot);
    return runtime.hooks.withHooks(sources, {
      ...(project === undefined ? {} : { worktree: { project, folder } }),
      base: () => ({
        session_id: runtime.session,
        transcript_path: runtime.layout.file,
        cwd: agent.host.folder,
        permission_mode: agent.mode,
        agent_id: agent.id,
        agent_type: agent.type,
        chain: agent.chain,
        depth: agent.depth,
      }),
    });
  };
}

/**
 * Runs the start hooks of a child within its own run, before its first turn: its parent does not wait for them, and the
 * child's abort ends them. A child interrupted before its first turn runs them again when it continues.
 */
export async function startHooks(agent: LiveAgent, signal: AbortSignal): Promise<void> {
  if (agent.state.turnAt > 0 || !agent.hooks.has('SubagentStart')) return;
  const fields = { agent_id: agent.id, agent_type: agent.type };
  const verdict = await showHooks({ agent }, await agent.hooks.run('SubagentStart', fields, { signal }));
  if (signal.aborted) return;
  for (const [index, context] of verdict.context.entries()) {
    await agent.inbox.admit({ origin: 'hook', key: `start hook ${index}` }, [text(reminder(context))]);
  }
}
