/** One run of a child, from its place in the line to its result and, if nobody waits, the notice. Never rejects. */

import { type RunEnd, runLoop } from '../loop/run-loop.js';
import type { AgentState, RunEndReason } from '../protocol/events.js';
import type { Usage } from '../protocol/usage.js';
import { TranscriptError } from '../session/transcript.js';
import type { Crew } from './crew.js';
import { handOffWarning } from './hand-off.js';
import { isAtWork, type Member } from './member.js';
import { deliverNotice, noticeOf } from './notice.js';
import type { AgentResult, ChildFacts, FailureReason } from './result.js';
import { watchStall } from './watch-stall.js';

export type ChildRun = {
  /** Waits for its turn before the first request. */
  readonly beforeFirst?: (signal: AbortSignal) => Promise<void>;
};

/** Resolves when the run's result is there; hand-off check, worktree and notice follow for whoever does not wait. */
export function runChild(
  crew: Crew,
  member: Member,
  { beforeFirst = async () => {} }: ChildRun = {},
): Promise<AgentResult> {
  const result = runToResult(crew, member, beforeFirst);
  const settled = result.then((made) => settle(crew, member, made)).catch(() => {});
  crew.settling.add(settled);
  void settled.finally(() => crew.settling.delete(settled));
  return result;
}

async function runToResult(
  crew: Crew,
  member: Member,
  beforeFirst: (signal: AbortSignal) => Promise<void>,
): Promise<AgentResult> {
  const { agent } = member;
  const { signal } = member.abort;
  const started = { at: crew.host.clock.elapsed(), calls: agent.activity.made, usage: agent.usage };
  agent.inbox.open();
  try {
    member.place = await crew.slots.enter(signal, () => void changeState(member, 'queued'));
    if (member.place === undefined) return await finish(crew, member, started, neverRan(agent.usage));
    await changeState(member, 'running');
    await beforeFirst(signal);
    const stall = watchStall(crew, member);
    let end = await runLoop({ agent, ports: crew.ports, signal });
    while (end.reason === 'completed' && (await waitForOwnChildren(crew, member))) {
      end = await runLoop({ agent, ports: crew.ports, signal });
    }
    stall.end();
    return await finish(crew, member, started, stall.stalled() ? stalledEnd(end, crew.rules.stallMs) : end);
  } catch (error) {
    // What can't be saved must not go on; everything before is whole.
    const line = error instanceof Error ? error.message : String(error);
    member.state = 'failed';
    agent.inbox.close();
    const reason = error instanceof TranscriptError ? 'not_saved' : 'api_error';
    return remember(member, { status: 'failed', ...facts(crew, member, started), reason, line, content: '' });
  } finally {
    agent.inbox.close();
    member.place?.release();
    member.place = undefined;
  }
}

/** Where nobody watches, an agent's own background children finish before it does: none is orphaned unseen. */
async function waitForOwnChildren(crew: Crew, member: Member): Promise<boolean> {
  const mine = () => [...crew.members.values()].some((one) => one.parent === member && one.background && isAtWork(one));
  if (crew.rules.interactive || !mine()) return false;
  const { inbox } = member.agent;
  inbox.open();
  await changeState(member, 'waiting');
  member.place?.release();
  member.place = undefined;
  await inbox.arrival(member.abort.signal);
  member.place = await crew.slots.reenter(member.abort.signal);
  await changeState(member, 'running');
  return inbox.asks;
}

/** After the result: the fixed order of what follows, each step on record before the next. */
async function settle(crew: Crew, member: Member, result: AgentResult): Promise<void> {
  try {
    if (
      member.background &&
      (member.state === 'completed' || member.state === 'failed' || member.state === 'stopped')
    ) {
      const warning = await handOffWarning(crew, member);
      const notice = noticeOf(member, result, warning);
      const to = member.parent?.agent.id ?? '';
      await member.agent.emit({ kind: 'notice-queued', run: member.run, to, text: notice });
      await deliverNotice(crew, member.parent, notice, { agent: member.agent.id, run: member.run });
    }
    await passOnNotices(crew, member);
  } finally {
    await member.output.close();
    await member.transcript.release().catch(() => {});
    crew.onSettled(member);
  }
}

/** Notices that reached an agent too late to be read go to its parent. */
async function passOnNotices(crew: Crew, member: Member): Promise<void> {
  if (member.state === 'interrupted') return;
  for (const input of member.agent.inbox.takeNotices()) {
    for (let listener = member.parent; listener !== undefined; listener = listener.parent) {
      const isMain = listener.parent === undefined;
      if (!isMain && !isAtWork(listener)) continue;
      if (await listener.agent.inbox.admitFrozen('notice', input.blocks, input.notice)) {
        if (isMain) crew.wakeMain();
        break;
      }
    }
  }
}

type Started = { readonly at: number; readonly calls: number; readonly usage: Usage };

type ChildEnd = Omit<RunEnd, 'reason'> & { readonly reason: RunEndReason | 'stalled' };

async function finish(crew: Crew, member: Member, started: Started, end: ChildEnd): Promise<AgentResult> {
  const result = toResult(crew, member, started, end);
  const content = result.status === 'async_launched' ? '' : result.content;
  await member.agent.emit({ kind: 'result-made', run: member.run, status: result.status, text: content });
  await changeState(
    member,
    endState(member, end.reason),
    end.reason === 'completed' ? undefined : (end.line ?? end.reason),
  );
  return remember(member, result);
}

function remember(member: Member, result: AgentResult): AgentResult {
  member.result = result;
  return result;
}

function endState(member: Member, reason: ChildEnd['reason']): AgentState {
  if (reason === 'completed') return 'completed';
  if (member.stoppedBy !== undefined) return 'stopped';
  return reason === 'interrupted' ? 'interrupted' : 'failed';
}

function toResult(crew: Crew, member: Member, started: Started, end: ChildEnd): AgentResult {
  const known = facts(crew, member, started);
  if (end.reason === 'completed') return { status: 'completed', ...known, content: end.text };
  const reason: FailureReason = member.stoppedBy !== undefined ? 'stopped' : end.reason;
  const by = member.stoppedBy === undefined ? undefined : `it was stopped (by ${member.stoppedBy})`;
  const line = by ?? end.line ?? WORDS[end.reason] ?? end.reason;
  return { status: 'failed', ...known, reason, line, content: end.text };
}

const WORDS: Partial<Record<ChildEnd['reason'], string>> = {
  interrupted: 'it was interrupted before it was done',
  refused: 'the model refused to go on',
};

function facts(crew: Crew, { agent }: Member, started: Started): ChildFacts {
  return {
    agentId: agent.id,
    agentType: agent.type,
    model: agent.model.id,
    toolUses: agent.activity.made - started.calls,
    durationMs: Math.round(crew.host.clock.elapsed() - started.at),
    usage: subtract(agent.usage, started.usage),
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

export async function changeState(member: Member, state: Member['state'], reason?: string): Promise<void> {
  member.state = state;
  if (state === 'queued') return void (await member.agent.emit({ kind: 'agent-queued' }));
  const by = state === 'stopped' && member.stoppedBy !== undefined ? { by: member.stoppedBy } : {};
  const why = reason === undefined ? {} : { reason };
  await member.agent.emit({ kind: 'agent-state-changed', state, run: member.run, ...by, ...why });
}

function neverRan(usage: Usage): RunEnd {
  return { reason: 'interrupted', text: '', turns: 0, usage };
}

function stalledEnd(end: RunEnd, stallMs: number): ChildEnd {
  const minutes = Math.round(stallMs / 60_000);
  return { ...end, reason: 'stalled', line: `nothing came from the model for ${minutes} minutes` };
}
