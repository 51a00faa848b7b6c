/** Turns events into `stream-json` lines: one JSON object per message, in the shape that clients expect. */

import type { AgentEvent, SessionEvent } from '../../protocol/events.js';
import { parseBlock } from '../../protocol/frozen-block.js';
import { messageId } from '../../protocol/message-id.js';
import { agentChain } from './agent-chain.js';
import { wireUsage } from './result.js';
import type { SessionView } from './session-view.js';

export type StreamJsonOptions = {
  readonly session: string;
  readonly newId: () => string;
  /** Include partial replies as they stream. */
  readonly partial: boolean;
};

export type Line = Readonly<Record<string, unknown>>;

/** The line for an event, if it has one. Each names the call that started its agent; null for the main agent. */
export function streamJson(
  view: SessionView,
  { agent, event, seq }: SessionEvent,
  { session, newId, partial }: StreamJsonOptions,
): Line | undefined {
  const message = messageOf(event);
  const body = message ?? (partial ? partialOf(event) : undefined) ?? systemOf(event);
  if (body === undefined) return undefined;
  const { call = null, depth = 0 } = view.agents.get(agent) ?? {};
  const chain = agentChain(view, agent, session);
  const uuid = message === undefined || seq === undefined ? newId() : messageId(session, agent, seq);
  return { ...body, parent_tool_use_id: call, session_id: session, chain, depth, uuid };
}

function messageOf(event: AgentEvent): Line | undefined {
  switch (event.kind) {
    case 'assistant-replied':
      return {
        type: 'assistant',
        message: {
          id: event.response,
          type: 'message',
          role: 'assistant',
          model: event.model,
          content: event.blocks.map(parseBlock),
          stop_reason: event.stop,
          stop_sequence: null,
          usage: wireUsage(event.usage),
        },
      };
    case 'call-finished':
      return { type: 'user', message: { role: 'user', content: event.blocks.map(parseBlock) } };
    default:
      return undefined;
  }
}

function partialOf(event: AgentEvent): Line | undefined {
  const delta = deltaOf(event);
  if (delta === undefined) return undefined;
  return { type: 'stream_event', event: { type: 'content_block_delta', index: delta.index, delta: delta.delta } };
}

function deltaOf(event: AgentEvent): { index: number; delta: Line } | undefined {
  switch (event.kind) {
    case 'text-streamed':
      return { index: event.index, delta: { type: 'text_delta', text: event.text } };
    case 'thinking-streamed':
      return { index: event.index, delta: { type: 'thinking_delta', thinking: event.text } };
    case 'call-streamed':
      return { index: event.index, delta: { type: 'input_json_delta', partial_json: event.json } };
    default:
      return undefined;
  }
}

function systemOf(event: AgentEvent): Line | undefined {
  switch (event.kind) {
    case 'history-compacted':
      return { type: 'system', subtype: 'compact_boundary', compact_metadata: { trigger: event.trigger } };
    case 'fault-met':
      return { type: 'system', subtype: 'fault', fault: event.fault, line: event.line };
    case 'line-shown':
      return { type: 'system', subtype: 'line', level: event.level, line: event.line };
    default:
      return undefined;
  }
}
