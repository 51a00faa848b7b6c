/** Settles and records the worktree of a run that had ended when the process died before doing so. */

import { join } from 'node:path';
import { createEmit } from '../../session/emit.js';
import type { AgentLog } from '../../session/state/agent-log.js';
import { isFinal, type RunLog } from '../../session/state/agent-state.js';
import { raiseFence, Transcript } from '../../session/transcript/transcript.js';
import type { Runtime } from '../runtime.js';
import type { Settled } from '../worktrees/session-worktrees.js';
import { neededBy } from '../worktrees/settle-worktree.js';
import { claimResume } from './claim-resume.js';
import { readAgent } from './read-agent.js';

/**
 * Returns undefined if there is nothing to settle. `logs`: all of the session, since one of them may have been
 * interrupted in the worktree.
 */
export async function settleEnded(
  runtime: Runtime,
  log: AgentLog,
  run: RunLog,
  logs: readonly AgentLog[],
): Promise<Settled | undefined> {
  const { worktree } = log.spawned;
  if (worktree === undefined || run.worktree !== undefined) return run.worktree;
  if (run !== log.runs.at(-1) || !isFinal(run.status)) return undefined;
  const needed = neededBy(logs, worktree, log.agent);
  // Nothing else may resume it meanwhile: a transcript has a single writer.
  return claimResume(runtime, log.agent, async () => {
    const settled = needed.length > 0 ? { outcome: 'in-use' as const, reasons: needed } : await settle(runtime, log);
    await record(runtime, log, run, settled).catch(() => {});
    return settled;
  });
}

async function settle({ worktrees }: Runtime, { agent, spawned: { worktree } }: AgentLog): Promise<Settled> {
  if (worktree === undefined) return { outcome: 'gone', reasons: [] };
  const reopened = await worktrees.reopen(worktree, agent);
  if (!reopened.ok) return { outcome: reopened.gone ? 'gone' : 'in-use', reasons: [reopened.reason] };
  const settled = await worktrees.release(reopened.worktree, agent, 'settle');
  return settled ?? { outcome: 'kept', reasons: ['it could not be looked at'] };
}

/**
 * Records it in the agent's own transcript, like every other step of its end. If that fails, the next resume finds it
 * out again.
 */
async function record(runtime: Runtime, log: AgentLog, run: RunLog, settled: Settled): Promise<void> {
  const path = runtime.layout.agentFile(log.agent);
  const read = await readAgent(runtime, log);
  if (read.kind !== 'read') return;
  const { host, listeners, fences } = runtime;
  const transcript = await Transcript.open({
    host,
    path,
    ...(read.end === undefined ? {} : { end: read.end }),
    fence: raiseFence(fences, path),
    onSuspect: (line) =>
      listeners.notify({ agent: log.agent, seq: undefined, event: { kind: 'line-shown', level: 'error', line } }),
  });
  const emit = createEmit({ agent: log.agent, state: read.state, log: transcript, listeners });
  try {
    await emit({ kind: 'worktree-settled', run: run.run, ...settled });
  } finally {
    await transcript.close();
  }
  const ended = runtime.ended.get(log.agent);
  if (ended === undefined) return;
  const runs = ended.runs.map((one) => (one.run === run.run ? { ...one, worktree: settled } : one));
  runtime.ended.set(log.agent, { ...ended, runs });
}

/** Checked without git, which is slow. */
async function mayHaveWorktrees({ host: { files }, projectRoot }: Runtime): Promise<boolean> {
  const git = join(projectRoot, '.git');
  const stat = await files.stat(git).catch(() => undefined);
  if (stat?.kind === 'file') return true;
  return (await files.stat(join(git, 'coppice', 'worktrees')).catch(() => undefined)) !== undefined;
}

/**
 * Settles worktrees of agents that were never recorded, and of runs that a call waits for, before those calls are
 * closed. Background runs are settled before their notice, after the hand-off check. Returns the logs with the
 * outcomes.
 */
export async function settleWaited(runtime: Runtime, logs: readonly AgentLog[]): Promise<readonly AgentLog[]> {
  if (await mayHaveWorktrees(runtime)) await runtime.worktrees.settleUnknown(new Set(logs.map(({ agent }) => agent)));
  const settled: AgentLog[] = [];
  for (const log of logs) {
    const run = log.runs.at(-1);
    // Created for an agent that never got its task, so nothing will resume it.
    if (!log.begun && log.spawned.worktree !== undefined) await settle(runtime, log);
    const isDue = log.spawned.worktree !== undefined && !log.background && run !== undefined;
    const outcome = isDue ? await settleEnded(runtime, log, run, logs) : undefined;
    if (outcome === undefined) settled.push(log);
    else settled.push({ ...log, runs: log.runs.map((one) => (one === run ? { ...one, worktree: outcome } : one)) });
  }
  return settled;
}
