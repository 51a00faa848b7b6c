/** Builds the model's reply from a rule: blocks with ids and signatures, a stop reason, usage. */

import type { WireResponse, WireStopReason, WireUsage } from '../../model/anthropic/wire.js';
import type { Usage } from '../../protocol/usage.js';
import { blockTokens } from '../cache/block-key.js';
import type { InputUsage } from '../cache/prompt-cache.js';
import { messageId, searchId, toolUseId } from '../server/reply-ids.js';
import { redactThinking, signThinking } from '../server/signature.js';
import type { Captures } from './match-rule.js';
import type { FullReply, OutputBlock, Reply, ReplyBlock, Rule } from './scenario.js';
import { citationOf, countSearches, type SearchBlock, searchBlocks } from './search-blocks.js';

export type ModelReply = {
  readonly id: string;
  readonly model: string;
  readonly blocks: readonly OutputBlock[];
  readonly stop: WireStopReason;
  readonly usage: WireUsage;
};

export type ReplyContext = {
  readonly model: string;
  /** The source of ids. Differs between requests, and between repetitions of one request. */
  readonly seed: string;
  readonly captures: Captures;
  /** Thinking comes signed and without its text. */
  readonly hidesThinking?: boolean;
  readonly input: InputUsage;
};

export function makeReply(given: Reply, rule: Rule, context: ReplyContext): ModelReply {
  const reply = toFullReply(given);
  const thought = startsWithThinking(reply.blocks);
  const blocks = reply.blocks.flatMap((given, index) => {
    const block = fillIn(given, context.captures);
    if (typeof block === 'object' && 'search' in block) return searchBlocks(block, searchId(context.seed, index));
    return [toOutput(block, context, toolUseId(context.seed, index, thought))];
  });
  const calls = blocks.some(({ block }) => block.type === 'tool_use');
  return {
    id: messageId(context.seed),
    model: context.model,
    blocks,
    stop: rule.stop ?? reply.stop ?? (calls ? 'tool_use' : 'end_turn'),
    usage: countUsage(context.input, blocks, { ...reply.usage, ...rule.usage }),
  };
}

export function toResponse(reply: ModelReply): WireResponse {
  return {
    id: reply.id,
    type: 'message',
    role: 'assistant',
    model: reply.model,
    content: reply.blocks.map(({ block, citations }) => (citations === undefined ? block : { ...block, citations })),
    stop_reason: reply.stop,
    stop_sequence: null,
    usage: reply.usage,
  };
}

function toFullReply(reply: Reply): FullReply {
  if (typeof reply === 'string') return { blocks: [reply] };
  return 'blocks' in reply ? reply : { blocks: reply };
}

function startsWithThinking([first]: readonly ReplyBlock[]): boolean {
  return typeof first === 'object' && ('thinking' in first || 'redacted' in first);
}

function toOutput(
  block: Exclude<ReplyBlock, SearchBlock>,
  { model, hidesThinking = false }: ReplyContext,
  newId: string,
): OutputBlock {
  if (typeof block === 'string') return { block: { type: 'text', text: block } };
  if ('text' in block) {
    const citations = block.cites?.map(citationOf);
    return { block: { type: 'text', text: block.text }, ...(citations === undefined ? {} : { citations }) };
  }
  if ('thinking' in block) {
    const thinking = hidesThinking ? '' : block.thinking;
    return { block: { type: 'thinking', thinking, signature: signThinking(thinking, model) } };
  }
  if ('redacted' in block) return { block: { type: 'redacted_thinking', data: redactThinking(block.redacted, model) } };
  const id = block.id ?? newId;
  const json = 'json' in block ? block.json : JSON.stringify(block.input ?? {});
  return { block: { type: 'tool_use', id, name: block.tool, input: parseOr(json, {}) }, json };
}

function parseOr(json: string, otherwise: unknown): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return otherwise;
  }
}

function countUsage(input: InputUsage, blocks: readonly OutputBlock[], given: Partial<Usage>): WireUsage {
  const written = blocks.filter(({ block }) => block.type !== 'web_search_tool_result');
  const output = written.reduce((sum, { block }) => sum + blockTokens({ ...block }), 0);
  const short = given.cacheWrite5m ?? input.cache_creation.ephemeral_5m_input_tokens;
  const hour = given.cacheWrite1h ?? input.cache_creation.ephemeral_1h_input_tokens;
  const searches = given.webSearches ?? countSearches(blocks);
  return {
    input_tokens: given.input ?? input.input_tokens,
    cache_read_input_tokens: given.cacheRead ?? input.cache_read_input_tokens,
    cache_creation_input_tokens: short + hour,
    cache_creation: { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: hour },
    output_tokens: given.output ?? Math.max(1, output),
    ...(searches === 0 ? {} : { server_tool_use: { web_search_requests: searches } }),
  };
}

/** Replaces `{{name}}` with its capture in every string of a value. Unknown names stay unchanged. */
function fillIn<T>(value: T, captures: Captures): T {
  return fill(value, captures) as T;
}

function fill(value: unknown, captures: Captures): unknown {
  if (typeof value === 'string') return value.replace(/\{\{(\w+)\}\}/g, (whole, name) => captures[name] ?? whole);
  if (Array.isArray(value)) return value.map((inner) => fill(inner, captures));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, fill(inner, captures)]));
}
