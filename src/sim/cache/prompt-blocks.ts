/** A request as the cache sees it: a list of blocks (tools → system → messages), each keyed by everything before it. */

import { arrayOf, isObject, type JsonObject } from '../json-value.js';
import { type ApiTurn, apiTurns, contentBlocks, type LocatedBlock } from '../scenario/api-turns.js';
import { type BlockKey, blockKey, hashOf } from './block-key.js';
import type { ModelFacts } from './model-facts.js';

export type Lifetime = '5m' | '1h';

export type PromptBlock = {
  readonly level: 'tools' | 'system' | 'messages';
  /** A hash of everything up to here, and of the parameters that affect this level. */
  readonly key: string;
  readonly tokens: number;
  /** All tokens up to and including this block. */
  readonly through: number;
  /** The lifetime of the block's cache marker, if it has one. */
  readonly marked?: Lifetime;
};

export type Prompt = { readonly blocks: readonly PromptBlock[]; readonly tokens: number };

export function promptBlocks(body: JsonObject, facts: Pick<ModelFacts, 'dropsThinking'>, workspace = ''): Prompt {
  const row = startRow(hashOf(JSON.stringify([workspace, body.model])));
  const turns = facts.dropsThinking ? withoutEarlierThinking(apiTurns(body.messages)) : apiTurns(body.messages);

  for (const tool of arrayOf(body.tools).filter(isObject)) row.add('tools', blockKey('tool', tool), markOf(tool));
  for (const block of contentBlocks(body.system)) row.add('system', blockKey('system', block), markOf(block));
  row.mix(messagesParameters(body, turns));
  for (const turn of turns) {
    for (const { block } of turn.blocks) row.add('messages', blockKey(turn.role, block), markOf(block));
  }
  // A marker on the request itself applies to its last block.
  row.markLast(lifetimeOf(body.cache_control));
  return { blocks: row.blocks, tokens: row.blocks.at(-1)?.through ?? 0 };
}

/** Estimates the number of tokens in the prompt of a request. */
export function countTokens(body: JsonObject, facts: Pick<ModelFacts, 'dropsThinking'>): number {
  return promptBlocks(body, facts).tokens;
}

function startRow(seed: string) {
  const blocks: PromptBlock[] = [];
  let key = seed;
  let through = 0;
  return {
    blocks,
    add(level: PromptBlock['level'], block: BlockKey, marked: Lifetime | undefined): void {
      key = hashOf(key + block.hash);
      through += block.tokens;
      blocks.push({ level, key, tokens: block.tokens, through, marked });
    },
    mix(text: string): void {
      key = hashOf(`${key}\0${text}`);
    },
    markLast(marked: Lifetime | undefined): void {
      const last = blocks.pop();
      if (last) blocks.push(marked && !last.marked ? { ...last, marked } : last);
    },
  };
}

/** Parameters that invalidate the messages level, but not tools and system. */
function messagesParameters(body: JsonObject, turns: readonly ApiTurn[]): string {
  return JSON.stringify([
    body.tool_choice ?? { type: 'auto' },
    body.thinking ?? { type: 'disabled' },
    body.output_config ?? null,
    turns.some((turn) => turn.blocks.some(({ block }) => holdsImage(block))),
  ]);
}

function holdsImage(block: JsonObject): boolean {
  return block.type === 'image' || (block.type === 'tool_result' && contentBlocks(block.content).some(holdsImage));
}

/** Drops thinking before the last user message. Thinking in the tool loop after it stays. */
function withoutEarlierThinking(turns: readonly ApiTurn[]): readonly ApiTurn[] {
  const lastUserText = turns.findLastIndex(
    (turn) => turn.role === 'user' && turn.blocks.some(({ block }) => block.type !== 'tool_result'),
  );
  return turns.map((turn, index) =>
    turn.role === 'assistant' && index < lastUserText ? { ...turn, blocks: turn.blocks.filter(notThinking) } : turn,
  );
}

function notThinking({ block }: LocatedBlock): boolean {
  return block.type !== 'thinking' && block.type !== 'redacted_thinking';
}

/** The marker of a block, or of content inside a tool result; the latter applies to the whole result. */
function markOf(block: JsonObject): Lifetime | undefined {
  const own = lifetimeOf(block.cache_control);
  if (own || block.type !== 'tool_result') return own;
  return contentBlocks(block.content)
    .map((inner) => lifetimeOf(inner.cache_control))
    .findLast((inner) => inner !== undefined);
}

function lifetimeOf(marker: unknown): Lifetime | undefined {
  if (!isObject(marker)) return undefined;
  return marker.ttl === '1h' ? '1h' : '5m';
}
