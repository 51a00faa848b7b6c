/**
 * The life cycle of a child's run, top-down: slot → running → SubagentStart hooks → loop → its own children → result →
 * end recorded → hand-off check → worktree settled → notice → files closed. A waiting call is released when the end is
 * recorded or, if it needs the result, after that.
 */

import { newAbort } from '../../host/clock.js';
import type { RunEnd } from '../../loop/run-loop.js';
import { notifyStopHooks } from '../../loop/stop-hooks.js';
import { isHookAgent } from '../../protocol/agent-spawned.js';
import type { AgentStatus } from '../../protocol/events.js';
import { reasonOf } from '../../protocol/reason-of.js';
import { subtractUsage, type Usage } from '../../protocol/usage.js';
import { TranscriptError } from '../../session/transcript/append-port.js';
import { endedAgentOf } from '../ended-agent.js';
import type { LiveAgent } from '../live-agent.js';
import { notifyParent, passOnNotices } from '../notices/notice.js';
import type { Runtime } from '../runtime.js';
import { endShellsOf } from '../shells/shell-task.js';
import { startHooks } from '../start/agent-hooks.js';
import type { Slot } from '../start/slots.js';
import { releaseWorktree, settleWorktree, worktreeFacts } from '../worktrees/settle-worktree.js';
import type { ChildFacts, EndedResult, EndedRun, FailureReason } from './result.js';
import { type ChildEnd, runWatched, type WatchedRun } from './run-watched.js';

export type ChildRun = WatchedRun & {
  /** Waits for its turn before the first request. */
  readonly beforeFirst?: (signal: AbortSignal) => Promise<void>;
  /** Its position in the order of requests. */
  readonly number?: number;
};

/** Resolves with the run's result; what follows continues in the background. Never rejects. */
export function runChild(runtime: Runtime, agent: LiveAgent, options: ChildRun = {}): Promise<EndedResult> {
  // The session was closed while it was being recorded or resumed: interrupt it before it starts, so that it can be
  // resumed.
  if (runtime.isClosing) agent.abort.abort();
  const ended = runToEnd(runtime, agent, options).then((run) =>
    run.background ? run : settleWorktree(runtime, agent, run),
  );
  const finishing = ended
    .then((run) => afterRun(runtime, agent, run))
    .catch(() => {})
    .then(() => agent.servers?.rest())
    .catch(() => {})
    .then(() => {
      runtime.finishing.delete(finishing);
      agent.finishing = undefined;
      agent.unfollow();
      endAgent(runtime, agent);
    });
  agent.finishing = finishing;
  runtime.finishing.add(finishing);
  return ended.then(({ result }) => result);
}

async function runToEnd(runtime: Runtime, agent: LiveAgent, options: ChildRun): Promise<EndedRun> {
  const { signal } = agent.abort;
  const { clock } = runtime.host;
  let start = startOf(agent, clock.elapsed());
  agent.inbox.open();
  try {
    agent.slot = await enter(runtime, agent, options.number);
    if (agent.slot === undefined) return await finish(runtime, agent, start, neverRan(agent));
    start = { ...start, at: clock.elapsed() };
    await agent.changeStatus('running');
    await startHooks(agent, signal);
    await options.beforeFirst?.(signal);
    return await finish(runtime, agent, start, await runWatched(runtime, agent, options));
  } catch (error) {
    // A run that can't be saved must not continue.
    const reason = error instanceof TranscriptError ? 'not_saved' : 'api_error';
    agent.fail();
    await runEndHooks(runtime, agent, reason, '');
    const result = failedResult(agent, start, clock.elapsed(), reason, reasonOf(error));
    return { ...ended(agent, result), isUnrecorded: true };
  } finally {
    agent.inbox.close();
    runtime.turns.end(agent.id);
    agent.slot?.release();
    agent.slot = undefined;
  }
}

/**
 * Agents started for a hook need no slot: the agent waiting for the hook holds one, and a tree could deadlock. Nor do
 * agents that the user waits for.
 */
async function enter({ slots }: Runtime, agent: LiveAgent, number: number | undefined): Promise<Slot | undefined> {
  const { signal } = agent.abort;
  if (isHookAgent(agent.record) || agent.record.aside) return signal.aborted ? undefined : { release: () => {} };
  return slots.enter(signal, () => void agent.changeStatus('queued'), number);
}

/**
 * Records the end: the result, then the status. By then its processes are gone and hooks were notified. A stop is
 * recorded first: it must hold regardless of hooks, and an interrupted run has not ended.
 */
async function finish(
  runtime: Runtime,
  agent: LiveAgent,
  start: ReturnType<typeof startOf>,
  end: ChildEnd,
): Promise<EndedRun> {
  agent.inbox.close();
  await endShellsOf(runtime, agent);
  const isEndForHooks = end.hooksAsked !== true && end.reason !== 'interrupted' && agent.stoppedBy === undefined;
  if (isEndForHooks) await runEndHooks(runtime, agent, end.reason, end.text);
  const result = concludeRun(agent, start, runtime.host.clock.elapsed(), end);
  await recordMove(agent);
  await agent.emit({ kind: 'result-made', run: agent.run, status: result.status, text: result.content });
  const reason = end.reason === 'completed' ? undefined : (end.line ?? end.reason);
  const recorded = agent.changeStatus(endStatus(agent, end.reason), reason);
  // From here on, it can't move to the background.
  const run = ended(agent, result);
  await recorded;
  const tellsHooks = end.hooksAsked !== true && !isEndForHooks && run.status === 'stopped';
  return { ...run, runsEndHooks: tellsHooks };
}

/**
 * Records a move made while it was queued or nothing could be saved: otherwise a resume would not know of the notice.
 */
async function recordMove(agent: LiveAgent): Promise<void> {
  const { background, record, run, state, status } = agent;
  if (!background || record.background || run > 1 || state.runs.get(run)?.moved === true) return;
  await agent.changeStatus(status === 'queued' ? 'waiting' : status);
}

/** A snapshot, which the next run of the same agent does not change. */
function ended(agent: LiveAgent, result: EndedRun['result']): EndedRun {
  agent.result = result;
  return { run: agent.run, status: agent.status, background: agent.background, result };
}

function endStatus(agent: LiveAgent, reason: ChildEnd['reason']): AgentStatus {
  if (reason === 'completed') return 'completed';
  if (agent.stoppedBy !== undefined) return 'stopped';
  return reason === 'interrupted' ? 'interrupted' : 'failed';
}

/** Each step is recorded before the next. */
async function afterRun(runtime: Runtime, agent: LiveAgent, run: EndedRun): Promise<void> {
  try {
    if (run.runsEndHooks) await runEndHooks(runtime, agent, 'stopped', run.result.content);
    if (run.background && run.status !== 'interrupted') await notifyParent(runtime, agent, run);
    if (run.status !== 'interrupted') await passOnNotices(runtime, agent);
  } finally {
    await releaseWorktree(runtime, agent);
    await agent.output.close();
    await agent.log.release().catch(() => {});
  }
}

function neverRan({ state }: LiveAgent): RunEnd {
  return { reason: 'interrupted', text: '', turns: 0, usage: state.usage, hooksAsked: true };
}

/** The agent's totals when the run began. */
type RunStart = { readonly at: number; readonly calls: number; readonly usage: Usage };

function startOf({ activity, state }: LiveAgent, at: number): RunStart {
  return { at, calls: activity.made, usage: state.usage };
}

function concludeRun(agent: LiveAgent, start: RunStart, now: number, end: ChildEnd): EndedResult {
  if (end.reason === 'completed') return { status: 'completed', ...facts(agent, start, now), content: end.text };
  const reason: FailureReason = agent.stoppedBy !== undefined ? 'stopped' : end.reason;
  const by = agent.stoppedBy && STOPPED[agent.stoppedBy];
  const line = by ?? end.line ?? WORDS[end.reason] ?? end.reason;
  return failedResult(agent, start, now, reason, line, end.text);
}

function failedResult(
  agent: LiveAgent,
  start: RunStart,
  now: number,
  reason: FailureReason,
  line: string,
  content = '',
): EndedResult {
  return { status: 'failed', ...facts(agent, start, now), reason, line, content };
}

const STOPPED = {
  person: 'the person stopped it',
  model: 'an agent stopped it with TaskStop',
  budget: "the session's budget for it, in money, tokens or time, is used up",
} as const;

const WORDS: Partial<Record<ChildEnd['reason'], string>> = {
  interrupted: 'it was interrupted before it was done',
  refused: 'the model refused to go on',
};

function facts(agent: LiveAgent, start: RunStart, now: number): ChildFacts {
  const { tokens, cached } = agent.state.lastRequest;
  const worktree = worktreeFacts(agent.record, agent.parent?.record);
  return {
    agentId: agent.id,
    agentType: agent.type,
    model: agent.epoch.model.id,
    toolUses: agent.activity.made - start.calls,
    durationMs: Math.round(now - start.at),
    usage: subtractUsage(agent.state.usage, start.usage),
    lastRequest: { tokens, cached },
    ...(worktree === undefined ? {} : { worktree }),
  };
}

function endAgent(runtime: Runtime, agent: LiveAgent): void {
  if (agent.isMain) return;
  runtime.agents.delete(agent.id);
  const ended = endedAgentOf(runtime.layout, agent);
  if (ended !== undefined) runtime.ended.set(agent.id, ended);
}

/** Their time limit after an aborted run: nothing else would end them. */
const AFTER_ABORT_MS = 5_000;

/**
 * `text` is the output of the run so far. An abort of the run, of its waiting call or of the session ends the hooks.
 */
async function runEndHooks(runtime: Runtime, agent: LiveAgent, reason: string, text: string): Promise<void> {
  if (runtime.isClosing || !agent.hooks.has('SubagentStop')) return;
  const leaving = newAbort();
  agent.leaving = leaving;
  const { signal } = agent.abort;
  const end = () => leaving.abort();
  signal.addEventListener('abort', end, { once: true });
  const cancel = signal.aborted ? runtime.host.clock.after(AFTER_ABORT_MS, end) : () => {};
  await notifyStopHooks(agent, reason, text, leaving.signal);
  cancel();
  signal.removeEventListener('abort', end);
  agent.leaving = undefined;
}
