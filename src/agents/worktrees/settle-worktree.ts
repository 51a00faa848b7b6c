/** The end of a run in a worktree: releases it, records the outcome, and adds its location to the result. */

import type { AgentWorktree } from '../../protocol/agent-spawned.js';
import type { AgentSpawned } from '../../protocol/events.js';
import type { AgentLog } from '../../session/state/agent-log.js';
import type { LiveAgent } from '../live-agent.js';
import type { EndedRun, WorktreeFacts } from '../run/result.js';
import type { Runtime } from '../runtime.js';
import type { Settled } from './session-worktrees.js';

/**
 * Runs after the end is recorded, before it is reported. A run that can be resumed keeps its worktree, and nothing is
 * recorded.
 */
export async function settleWorktree(runtime: Runtime, agent: LiveAgent, ended: EndedRun): Promise<EndedRun> {
  const { worktree } = agent.record;
  if (worktree === undefined) return ended;
  const goesOn = ended.status === 'interrupted' || ended.isUnrecorded === true;
  const needed = neededBy(runtime.ended.values(), worktree, agent.id);
  const isKept = goesOn || needed.length > 0;
  const looked = await runtime.worktrees.release(worktree, agent.id, isKept ? 'keep' : 'settle');
  if (goesOn || looked === undefined) return ended;
  const settled = needed.length > 0 ? { outcome: looked.outcome, reasons: needed } : looked;
  const { run } = ended;
  // If it can't be recorded, a resume finds it out again.
  await agent.emit({ kind: 'worktree-settled', run, ...settled }).catch(() => 0);
  const { worktree: _, ...result } = ended.result;
  const facts = worktreeFacts(agent.record, agent.parent?.record, settled);
  const settledRun = { ...ended, result: { ...result, ...(facts === undefined ? {} : { worktree: facts }) }, settled };
  if (agent.run === run) agent.result = settledRun.result;
  return settledRun;
}

/** The agents interrupted in a worktree that can be resumed there, which is why it stays. */
export function neededBy(logs: Iterable<AgentLog>, worktree: AgentWorktree, except: string): readonly string[] {
  return [...logs]
    .filter(({ agent, unfinished, spawned }) => agent !== except && unfinished && isSame(spawned.worktree, worktree))
    .map(({ agent }) => `agent ${agent} was interrupted in it and can go on`);
}

/** Releases the worktree in any case: nothing works in it any more. */
export async function releaseWorktree(runtime: Runtime, { id, record }: LiveAgent): Promise<void> {
  if (record.worktree !== undefined) await runtime.worktrees.release(record.worktree, id, 'keep');
}

/**
 * For results and lists. Undefined if it has no worktree of its own, because its parent works in the same one, or if it
 * no longer exists. `settled`: omitted while it is running.
 */
export function worktreeFacts(
  { worktree }: Pick<AgentSpawned, 'worktree'>,
  parent: Pick<AgentSpawned, 'worktree'> | undefined,
  settled?: Settled,
): WorktreeFacts | undefined {
  if (worktree === undefined || isSame(parent?.worktree, worktree)) return undefined;
  if (settled?.outcome === 'removed' || settled?.outcome === 'gone') return undefined;
  const { path, branch, sparse } = worktree;
  return {
    path,
    branch,
    ...(settled === undefined ? {} : { why: describeSettled(settled) }),
    ...(sparse === undefined ? {} : { usedSparsePaths: sparse }),
  };
}

/** A worktree that was moved is still the same. */
function isSame(one: AgentWorktree | undefined, other: AgentWorktree): boolean {
  return one?.name === other.name && one.git?.common === other.git?.common;
}

/** The record of an agent's parent, if known here. */
export function parentRecord({ agents, ended }: Runtime, { parent }: AgentSpawned): AgentSpawned | undefined {
  return agents.get(parent)?.record ?? ended.get(parent)?.spawned;
}

const MAX_REASONS = 300;

/** One line for the user and models. */
export function describeSettled({ outcome, reasons }: Settled): string {
  const why = reasons.join('; ').replace(/\s+/g, ' ').slice(0, MAX_REASONS).toWellFormed();
  switch (outcome) {
    case 'kept':
      return why === '' ? 'kept' : `kept: ${why}`;
    case 'in-use':
      return `kept: ${why === '' ? 'others still work in it' : why}`;
    case 'removed':
      return 'nothing was changed in it';
    case 'gone':
      return `it is no longer there${why === '' ? '' : `: ${why}`}`;
    default:
      return outcome satisfies never;
  }
}
