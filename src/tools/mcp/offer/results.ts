/** Converts the result of a server's tool to an outcome, bounded by tokens. */

import { type ResultContent, text } from '../../../protocol/blocks.js';
import { isObject, objectOf } from '../../../protocol/json/json-values.js';
import { failed, type ToolOutcome } from '../../../protocol/outcome.js';
import { boundOutcome } from '../../bounds.js';
import { type ContentStore, convertContent } from './convert-content.js';
import { LARGE_TOKENS, tokensPerChar } from './result-limits.js';

/** `result` is untrusted. */
export async function convertResult(result: unknown, keeping: ContentStore): Promise<ToolOutcome> {
  const fields = objectOf(result);
  const content = await convertContent(fields.content, keeping);
  const isError = fields.isError === true;
  const structured = saysSomething(fields.content) ? [] : describeStructured(fields.structuredContent);
  const whole = [...structured, ...content];
  if (isError && whole.length === 0) return failed('The server reports an error and says nothing about it.');
  return { isError, content: whole };
}

function saysSomething(content: unknown): boolean {
  if (!Array.isArray(content)) return false;
  return content.some((block: unknown) => {
    return isObject(block) && block.type === 'text' && typeof block.text === 'string' && block.text.trim() !== '';
  });
}

/** Servers should repeat it as text; for those that do not, this is the only copy. */
function describeStructured(value: unknown): readonly ResultContent[] {
  if (value === undefined || value === null) return [];
  try {
    return [text(JSON.stringify(value))];
  } catch {
    return [text('[structured content that can not be shown]')];
  }
}

export type Bounds = {
  readonly maxTokens: number;
  /** In characters, if the tool has its own limit. */
  readonly maxChars?: number;
};

/** Reports a large result to the user, because it costs tokens in each later request. */
export async function boundResult(
  outcome: ToolOutcome,
  { maxTokens, maxChars }: Bounds,
  context: Pick<ContentStore, 'callId' | 'keepOutput' | 'server'> & { progress?(line: string): void },
): Promise<ToolOutcome> {
  const texts = outcome.content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  const perChar = Math.max(0, ...texts.map(tokensPerChar));
  const limit = maxChars ?? Math.max(1, Math.floor(maxTokens / (perChar || 1)));
  const bounded = await boundOutcome(outcome, context, limit);
  const chars = bounded.content.reduce((sum, block) => sum + (block.type === 'text' ? block.text.length : 0), 0);
  const tokens = Math.round(chars * perChar);
  if (tokens >= LARGE_TOKENS) context.progress?.(`a large result from ${context.server}: about ${tokens} tokens`);
  return bounded;
}
