/** The open calls of an agent, and how its events change them. */

import type { AgentEvent, DurableEvent } from '../../protocol/events.js';
import { parseBlock } from '../../protocol/frozen-block.js';

export type CallView = {
  readonly id: string;
  readonly tool: string;
  /** As the model sent it; after the start of the call, as the tool parsed it. */
  readonly input: unknown;
  /** Undefined while the call is requested but not started. */
  readonly startedAt: number | undefined;
  /** The tool's response, in a session that reports it. */
  readonly response?: unknown;
};

export type AgentCalls = {
  /** Over all runs. */
  readonly toolUses: number;
  /** Unfinished calls: first the requested ones, then the running ones in start order. */
  readonly calls: readonly CallView[];
};

export function openCalls({ calls }: AgentCalls): readonly CallView[] {
  return calls.filter(({ startedAt }) => startedAt !== undefined);
}

export function reduceCalls<A extends AgentCalls>(agent: A, event: AgentEvent, now: number): A {
  switch (event.kind) {
    case 'assistant-replied':
      return { ...agent, calls: [...agent.calls, ...requestedCalls(event)] };
    case 'call-started':
      return startCall(agent, { id: event.call, tool: event.tool, input: event.input, startedAt: now });
    case 'call-intended':
      return intendCall(agent, event.call, now);
    case 'call-answered': {
      const { call, response } = event;
      return { ...agent, calls: agent.calls.map((one) => (one.id === call ? { ...one, response } : one)) };
    }
    case 'call-finished':
      return finishCall(agent, event.call);
    case 'run-ended':
      return { ...agent, calls: [] };
    default:
      return agent;
  }
}

function requestedCalls({ blocks }: Extract<DurableEvent, { kind: 'assistant-replied' }>): CallView[] {
  return blocks.flatMap((frozen) => {
    const block = frozen.type === 'tool_use' ? parseBlock(frozen) : undefined;
    return block?.type === 'tool_use'
      ? [{ id: block.id, tool: block.name, input: block.input, startedAt: undefined }]
      : [];
  });
}

function startCall<A extends AgentCalls>(agent: A, call: CallView): A {
  const others = agent.calls.filter(({ id }) => id !== call.id);
  return { ...agent, toolUses: agent.toolUses + 1, calls: [...others, call] };
}

/** A transcript has no record of a call's start: its intent is the first sign of it. */
function intendCall<A extends AgentCalls>(agent: A, id: string, now: number): A {
  const call = agent.calls.find((one) => one.id === id);
  return call === undefined || call.startedAt !== undefined ? agent : startCall(agent, { ...call, startedAt: now });
}

/** Counts a call that never started too; a call that closes an earlier reply is not counted again. */
function finishCall<A extends AgentCalls>(agent: A, id: string): A {
  const call = agent.calls.find((one) => one.id === id);
  if (call === undefined) return agent;
  const uncounted = call.startedAt === undefined ? 1 : 0;
  return { ...agent, toolUses: agent.toolUses + uncounted, calls: agent.calls.filter((one) => one !== call) };
}
