/** A fork that the person or the embedder asks for: from the last complete point, whatever the parent is doing. */

import { takeCompletePoint } from '../agents/fork/fork.js';
import type { LiveAgent } from '../agents/live-agent.js';
import type { EndedResult } from '../agents/run/result.js';
import type { Runtime } from '../agents/runtime.js';
import { spawn } from '../agents/start/spawn.js';
import { NO_USAGE } from '../protocol/usage.js';

export async function forkByHand(
  runtime: Runtime,
  parent: LiveAgent | undefined,
  directive: string,
  options: { readonly name?: string | undefined; readonly description?: string | undefined },
  signal: AbortSignal,
): Promise<EndedResult> {
  if (runtime.settings.forkSwitchedOff) {
    return notStarted('forks are switched off (COPPICE_FORK_SUBAGENT=0, --fork off, or coordinator mode)');
  }
  if (runtime.isClosing) return notStarted('the session is closed');
  const point = parent && takeCompletePoint(parent);
  if (parent === undefined || point === undefined) {
    return notStarted('there is nothing to fork from yet: send a prompt first');
  }
  const spawned = await spawn(runtime, {
    parent,
    call: `fork-${runtime.host.newId()}`,
    prompt: directive,
    description: options.description ?? directive.slice(0, 60),
    name: options.name,
    model: undefined,
    maxTurns: undefined,
    maxUsd: undefined,
    cwd: undefined,
    signal,
    background: false,
    kind: { fork: point },
  });
  const result = spawned.ok ? await spawned.agent.done : notStarted(spawned.reason);
  return result ?? notStarted('it was never started');
}

export function notStarted(line: string): EndedResult {
  const facts = { agentId: '', agentType: 'fork', model: '', toolUses: 0, durationMs: 0, usage: NO_USAGE };
  return { status: 'failed', ...facts, reason: 'not_started', line, content: '' };
}
