/** Starts a fork for the user or the embedder: from the last complete point, even while the parent works. */

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
  /** In its own checkout. */
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
  if (directive.trim() === '') return notStarted('the prompt for the fork is empty');
  const background = options.background === true;
  if (background && !runtime.settings.backgroundAvailable) {
    return notStarted('background tasks are off (COPPICE_DISABLE_BACKGROUND=1)');
  }
  const point = parent && takeCompletePoint(parent);
  if (parent === undefined || point === undefined) {
    return notStarted('the conversation is empty: send a prompt first');
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
    return 'forks are off (COPPICE_FORK_SUBAGENT=0, --fork off, or coordinator mode)';
  }
  return isClosing ? 'the session is closed' : undefined;
}

export function notStarted(line: string): EndedResult {
  const facts = { agentId: '', agentType: 'fork', model: '', toolUses: 0, durationMs: 0, usage: NO_USAGE };
  return { status: 'failed', ...facts, reason: 'not_started', line, content: '' };
}
