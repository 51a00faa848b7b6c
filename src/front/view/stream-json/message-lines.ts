/** Replies, tool results and messages of hooks to the model, as `assistant` and `user` lines. */

import type { ContentBlock } from '../../../protocol/blocks.js';
import type { DurableEventOf, SessionEvent } from '../../../protocol/events.js';
import { parseBlock } from '../../../protocol/frozen-block.js';
import { NO_USAGE } from '../../../protocol/usage.js';
import { messageId } from '../../../session/message-id.js';
import { wireUsage } from '../result.js';
import type { SessionView } from '../session-view.js';
import { errorCategory } from './error-category.js';
import { definedFields, type Line, type LineOptions, timestamp } from './line.js';

export function messageLines(view: SessionView, { agent, event, seq }: SessionEvent, options: LineOptions): Line[] {
  const of = (part = 0) => ({
    ...(seq === undefined ? {} : { uuid: messageId(options.session, agent, seq, part) }),
    timestamp: timestamp(options),
    ...childFields(view, agent),
  });
  switch (event.kind) {
    case 'assistant-replied':
      return blocksOf(event).map((block, part) => ({ ...replyLine(event, block), ...of(part) }));
    case 'call-finished': {
      if (event.aside) return [];
      const content = event.blocks.map(parseBlock);
      const tool_use_result = event.isError ? errorText(content) : responseOf(view, agent, event.call);
      return [definedFields({ type: 'user', message: { role: 'user', content }, tool_use_result, ...of() })];
    }
    case 'input-admitted': {
      if (event.origin !== 'hook') return [];
      const content = event.blocks.map(parseBlock);
      return [{ type: 'user', message: { role: 'user', content }, isSynthetic: true, ...of() }];
    }
    case 'run-ended': {
      if (event.reason !== 'api_error' && event.reason !== 'overflow') return [];
      const error = errorCategory(view.agents.get(agent)?.fault ?? '');
      const line = event.line ?? event.reason;
      const uuid = seq === undefined ? options.newId() : messageId(options.session, agent, seq);
      return [{ type: 'assistant', message: errorMessage(line, uuid), error, ...of(), uuid }];
    }
    default:
      return [];
  }
}

function blocksOf({ blocks }: DurableEventOf<'assistant-replied'>): readonly ContentBlock[] {
  return blocks.map(parseBlock);
}

/** One line per block. The stop reason is in `message_delta` and in the result, where clients expect it. */
function replyLine({ response, model, stop, usage }: DurableEventOf<'assistant-replied'>, block: ContentBlock): Line {
  return {
    type: 'assistant',
    message: {
      id: response,
      type: 'message',
      role: 'assistant',
      model,
      content: [block],
      stop_reason: null,
      stop_sequence: null,
      usage: wireUsage(usage),
    },
    ...(stop === 'interrupted' ? { aborted: true } : {}),
  };
}

/** The message shown instead of a reply that failed. */
function errorMessage(line: string, id: string): Line {
  return {
    id,
    type: 'message',
    role: 'assistant',
    model: '<synthetic>',
    content: [{ type: 'text', text: line }],
    stop_reason: 'stop_sequence',
    stop_sequence: '',
    usage: wireUsage(NO_USAGE),
  };
}

function childFields({ agents }: SessionView, id: string): Line {
  const agent = agents.get(id);
  if (agent?.parent === undefined) return {};
  return { agent_id: id, subagent_type: agent.type, task_description: agent.description };
}

function responseOf({ agents }: SessionView, agent: string, call: string): unknown {
  return agents.get(agent)?.calls.find(({ id }) => id === call)?.response;
}

function errorText([block]: readonly ContentBlock[]): string {
  const content = block?.type === 'tool_result' ? block.content : '';
  if (typeof content === 'string') return `Error: ${content}`;
  return `Error: ${content.flatMap((one) => (one.type === 'text' ? [one.text] : [])).join('\n')}`;
}
