/** A fork that the person or the embedder asks for: from the last complete point, whatever the parent is doing. */

import { takeCompletePoint } from '../../agents/fork/take-fork-point.js';
import type { LiveAgent } from '../../agents/live-agent.js';
import type { AgentResult, EndedResult } from '../../agents/run/result.js';
import { launched } from '../../agents/run/wait-for-child.js';
import type { Runtime } from '../../agents/runtime.js';
import { spawn } from '../../agents/start/spawn.js';
import { NO_USAGE } from '../../protocol/usage.js';

export type ForkByHand = {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  /** Resolves once it has started. */
  readonly background?: boolean | undefined;
  /** In a checkout of its own. */
  readonly isolation?: 'worktree' | undefined;
};

export async function forkByHand(
  runtime: Runtime,
  parent: LiveAgent | undefined,
  directive: string,
  options: ForkByHand,
  signal: AbortSignal,
): Promise<AgentResult> {
  const off = explainNoFork(runtime);
  if (off !== undefined) return notStarted(off);
  if (directive.trim() === '') return notStarted('say what the fork should do');
  const background = options.background === true;
  if (background && !runtime.settings.backgroundAvailable) {
    return notStarted('background work is switched off (COPPICE_DISABLE_BACKGROUND=1)');
  }
  const point = parent && takeCompletePoint(parent);
  if (parent === undefined || point === undefined) {
    return notStarted('there is nothing to fork from yet: send a prompt first');
  }
  const spawned = await spawn(runtime, {
    parent,
    call: `fork-${runtime.host.newId()}`,
    prompt: directive,
    description: options.description ?? directive.slice(0, 60),
    name: options.name?.trim() || undefined,
    model: undefined,
    maxTurns: undefined,
    maxUsd: undefined,
    cwd: undefined,
    isolation: options.isolation,
    signal,
    background,
    kind: { fork: point },
  });
  if (spawned.ok && background) return launched(parent, spawned.agent);
  const result = spawned.ok ? await spawned.agent.done : notStarted(spawned.reason);
  return result ?? notStarted('it was never started');
}

export function explainNoFork({ settings, isClosing }: Runtime): string | undefined {
  if (settings.forkSwitchedOff) {
    return 'forks are switched off (COPPICE_FORK_SUBAGENT=0, --fork off, or coordinator mode)';
  }
  return isClosing ? 'the session is closed' : undefined;
}

export function notStarted(line: string): EndedResult {
  const facts = { agentId: '', agentType: 'fork', model: '', toolUses: 0, durationMs: 0, usage: NO_USAGE };
  return { status: 'failed', ...facts, reason: 'not_started', line, content: '' };
}
