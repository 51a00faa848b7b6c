/** One run of a child, from its place in the line to its result and, if nobody waits, the notice. Never rejects. */

import { type RunEnd, runLoop } from '../../loop/run-loop.js';
import { type AgentState, MOVED, type RunEndReason } from '../../protocol/events.js';
import { reasonOf } from '../../protocol/reason-of.js';
import type { Usage } from '../../protocol/usage.js';
import { isFinal } from '../../session/state/run-logs.js';
import { TranscriptError } from '../../session/transcript/transcript.js';
import { type Member, retakeSlot } from '../live-agent.js';
import type { Runtime } from '../runtime.js';
import { endShellsOf } from '../shells/shell-task.js';
import { concludeRun } from './conclude-run.js';
import type { EndedResult, EndedRun } from './ended-run.js';
import type { AgentResult, ChildFacts, FailureReason } from './result.js';
import { watchStall } from './watch-stall.js';

export type ChildRun = {
  /** Waits for its turn before the first request. */
  readonly beforeFirst?: (signal: AbortSignal) => Promise<void>;
  /** Its place in the order in which children were asked for. */
  readonly number?: number;
  /** What it said last, when the process died after that: the run is over, and only its end is missing. */
  readonly over?: string;
};

/** Resolves when the run's result is there; hand-off check, worktree and notice follow for whoever does not wait. */
export function runChild(
  runtime: Runtime,
  member: Member,
  { beforeFirst = async () => {}, over, number }: ChildRun = {},
): Promise<AgentResult> {
  const ended = runToEnd(runtime, member, beforeFirst, over, number);
  const settling = ended
    .then((run) => concludeRun(runtime, member, run))
    .catch(() => {})
    .then(() => {
      runtime.finishing.delete(settling);
      member.finishing = undefined;
      runtime.onFinished(member);
    });
  member.finishing = settling;
  runtime.finishing.add(settling);
  return ended.then(({ result }) => result);
}

async function runToEnd(
  runtime: Runtime,
  member: Member,
  beforeFirst: (signal: AbortSignal) => Promise<void>,
  over: string | undefined,
  number: number | undefined,
): Promise<EndedRun> {
  const { agent } = member;
  const { signal } = member.abort;
  let started: Started = { at: runtime.host.clock.elapsed(), calls: agent.activity.made, usage: agent.usage };
  agent.inbox.open();
  try {
    member.slot = await runtime.slots.enter(signal, () => void changeState(member, 'queued'), number);
    if (member.slot === undefined) return await finish(runtime, member, started, neverRan(agent.usage));
    started = { ...started, at: runtime.host.clock.elapsed() };
    await changeState(member, 'running');
    if (over !== undefined) {
      const end: RunEnd = { reason: 'completed', text: over, turns: 0, usage: agent.usage };
      return await finish(runtime, member, started, end);
    }
    await beforeFirst(signal);
    return await finish(runtime, member, started, await runWatched(runtime, member));
  } catch (error) {
    // What can't be saved must not go on; everything before is whole.
    const line = reasonOf(error);
    const reason = error instanceof TranscriptError ? 'not_saved' : 'api_error';
    member.state = 'failed';
    return endedRun(member, { status: 'failed', ...facts(runtime, member, started), reason, line, content: '' });
  } finally {
    agent.inbox.close();
    member.slot?.release();
    member.slot = undefined;
  }
}

async function runWatched(runtime: Runtime, member: Member): Promise<ChildEnd> {
  const { agent, abort } = member;
  const run = { agent, ports: runtime.ports, signal: abort.signal };
  const stall = watchStall(runtime, member);
  try {
    let end = await runLoop(run);
    while (end.reason === 'completed' && !runtime.settings.interactive) {
      const woken = await waitForOwnChildren(runtime, member);
      if (abort.signal.aborted) end = { ...end, reason: 'interrupted' };
      if (!woken) break;
      end = await runLoop(run);
    }
    return stall.stalled() ? stalledEnd(end, runtime.settings.stallMs) : end;
  } finally {
    stall.end();
  }
}

/**
 * Where nobody watches, an agent's own background children finish before it does: none is orphaned unseen. Answers
 * whether something came that asks for an answer.
 */
async function waitForOwnChildren(runtime: Runtime, member: Member): Promise<boolean> {
  const { inbox } = member.agent;
  const { signal } = member.abort;
  const open = () =>
    [...runtime.members.values()].flatMap((one) =>
      one.parent === member && one.background && one.finishing !== undefined ? [one.finishing] : [],
    );
  if (open().length === 0) return false;
  inbox.open();
  await changeState(member, 'waiting');
  member.slot?.release();
  member.slot = undefined;
  for (let left = open(); left.length > 0 && !inbox.asks && !signal.aborted; left = open()) {
    const heard = new AbortController();
    const either = AbortSignal.any([heard.signal, signal]);
    await Promise.race([inbox.arrival(either), Promise.all(left)]);
    heard.abort();
  }
  if (!signal.aborted) await retakeSlot(member, runtime.slots);
  if (!signal.aborted) await changeState(member, 'running');
  return inbox.asks;
}

type Started = { readonly at: number; readonly calls: number; readonly usage: Usage };

type ChildEnd = Omit<RunEnd, 'reason'> & { readonly reason: RunEndReason | 'stalled' };

/** The end on record: what it came to, then where it stands. Its processes are gone by then. */
async function finish(runtime: Runtime, member: Member, started: Started, end: ChildEnd): Promise<EndedRun> {
  await endShellsOf(runtime, member);
  const result = toResult(runtime, member, started, end);
  await member.agent.emit({ kind: 'result-made', run: member.run, status: result.status, text: result.content });
  const reason = end.reason === 'completed' ? undefined : (end.line ?? end.reason);
  const recorded = changeState(member, endState(member, end.reason), reason);
  // From here on it can't be moved to the background any more: how it ended is settled.
  const ended = endedRun(member, result);
  await recorded;
  return ended;
}

function endedRun(member: Member, result: EndedResult): EndedRun {
  member.result = result;
  return { run: member.run, state: member.state, background: member.background, result };
}

function endState(member: Member, reason: ChildEnd['reason']): AgentState {
  if (reason === 'completed') return 'completed';
  if (member.stoppedBy !== undefined) return 'stopped';
  return reason === 'interrupted' ? 'interrupted' : 'failed';
}

function toResult(runtime: Runtime, member: Member, started: Started, end: ChildEnd): EndedResult {
  const known = facts(runtime, member, started);
  if (end.reason === 'completed') return { status: 'completed', ...known, content: end.text };
  const reason: FailureReason = member.stoppedBy !== undefined ? 'stopped' : end.reason;
  const by = member.stoppedBy && STOPPED[member.stoppedBy];
  const line = by ?? end.line ?? WORDS[end.reason] ?? end.reason;
  return { status: 'failed', ...known, reason, line, content: end.text };
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

function facts(runtime: Runtime, { agent }: Member, started: Started): ChildFacts {
  return {
    agentId: agent.id,
    agentType: agent.type,
    model: agent.model.id,
    toolUses: agent.activity.made - started.calls,
    durationMs: Math.round(runtime.host.clock.elapsed() - started.at),
    usage: subtract(agent.usage, started.usage),
    lastRequest: { tokens: agent.lastRequest.tokens, cached: agent.lastRequest.cached },
  };
}

function subtract(a: Usage, b: Usage): Usage {
  return {
    input: a.input - b.input,
    output: a.output - b.output,
    cacheRead: a.cacheRead - b.cacheRead,
    cacheWrite5m: a.cacheWrite5m - b.cacheWrite5m,
    cacheWrite1h: a.cacheWrite1h - b.cacheWrite1h,
  };
}

/** The end of a run is final: nothing follows it under the same number. */
export async function changeState(member: Member, state: Member['state'], reason?: string): Promise<void> {
  if (member.state !== 'queued' && isFinal(member.state)) return;
  member.state = state;
  if (state === 'queued') return void (await member.agent.emit({ kind: 'agent-queued' }));
  const by = state === 'stopped' && member.stoppedBy !== undefined ? { by: member.stoppedBy } : {};
  const moved = member.background && member.spawned?.background === false && !isFinal(state) ? MOVED : undefined;
  const words = reason ?? moved;
  const because = words === undefined ? {} : { reason: words };
  await member.agent.emit({ kind: 'agent-state-changed', state, run: member.run, ...by, ...because });
}

function neverRan(usage: Usage): RunEnd {
  return { reason: 'interrupted', text: '', turns: 0, usage };
}

function stalledEnd(end: RunEnd, stallMs: number): ChildEnd {
  const time = stallMs < 60_000 ? `${stallMs / 1000} seconds` : `${Math.round(stallMs / 60_000)} minutes`;
  return { ...end, reason: 'stalled', line: `nothing came from the model for ${time}` };
}
