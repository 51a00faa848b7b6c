/** One run of a child, from its place in the line to its result. Never rejects. */

import { type RunEnd, runLoop } from '../loop/run-loop.js';
import type { AgentState, RunEndReason } from '../protocol/events.js';
import { NO_USAGE, type Usage } from '../protocol/usage.js';
import { TranscriptError } from '../session/transcript.js';
import type { Crew } from './crew.js';
import type { Member } from './member.js';
import type { AgentResult, ChildFacts, FailureReason } from './result.js';
import { watchStall } from './watch-stall.js';

export async function runChild(
  crew: Crew,
  member: Member,
  beforeFirst: (signal: AbortSignal) => Promise<void> = async () => {},
): Promise<AgentResult> {
  const { agent } = member;
  const { signal } = member.abort;
  const started = { at: crew.host.clock.elapsed(), calls: agent.activity.made, usage: agent.usage };
  try {
    member.place = await crew.slots.enter(signal, () => void changeState(member, 'queued'));
    if (member.place === undefined) return await finish(crew, member, started, interruptedEnd(agent.usage));
    await changeState(member, 'running');
    await beforeFirst(signal);
    const stall = watchStall(crew, member);
    const end = await runLoop({ agent, ports: crew.ports, signal });
    stall.end();
    return await finish(crew, member, started, stall.stalled() ? stalledEnd(end, crew.rules.stallMs) : end);
  } catch (error) {
    if (!(error instanceof TranscriptError)) throw error;
    member.state = 'failed';
    return failedResult(crew, member, started, 'not_saved', error.message, '');
  } finally {
    member.place?.release();
    member.place = undefined;
    await member.transcript.close().catch(() => {});
  }
}

type Started = { readonly at: number; readonly calls: number; readonly usage: Usage };

type ChildEnd = Omit<RunEnd, 'reason'> & { readonly reason: RunEndReason | 'stalled' };

async function finish(crew: Crew, member: Member, started: Started, end: ChildEnd): Promise<AgentResult> {
  const result = toResult(crew, member, started, end);
  if (result.status === 'async_launched') return result;
  await member.agent.emit({ kind: 'result-made', run: member.run, status: result.status, text: result.content });
  await changeState(
    member,
    endState(member, end.reason),
    end.reason === 'completed' ? undefined : (end.line ?? end.reason),
  );
  return result;
}

function endState(member: Member, reason: ChildEnd['reason']): AgentState {
  if (reason === 'completed') return 'completed';
  if (member.stoppedBy !== undefined) return 'stopped';
  return reason === 'interrupted' ? 'interrupted' : 'failed';
}

function toResult(crew: Crew, member: Member, started: Started, end: ChildEnd): AgentResult {
  if (end.reason === 'completed') {
    return { status: 'completed', ...facts(crew, member, started), content: end.text };
  }
  const reason: FailureReason = member.stoppedBy !== undefined ? 'stopped' : end.reason;
  return failedResult(crew, member, started, reason, end.line ?? WORDS[end.reason] ?? end.reason, end.text);
}

const WORDS: Partial<Record<ChildEnd['reason'], string>> = {
  interrupted: 'it was interrupted before it was done',
  refused: 'the model refused to go on',
};

function failedResult(
  crew: Crew,
  member: Member,
  started: Started,
  reason: FailureReason,
  line: string,
  content: string,
): AgentResult {
  return { status: 'failed', ...facts(crew, member, started), reason, line, content };
}

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

function interruptedEnd(usage: Usage): RunEnd {
  return { reason: 'interrupted', text: '', turns: 0, usage: usage ?? NO_USAGE };
}

function stalledEnd(end: RunEnd, stallMs: number): ChildEnd {
  const minutes = Math.round(stallMs / 60_000);
  return { ...end, reason: 'stalled', line: `nothing came from the model for ${minutes} minutes` };
}
