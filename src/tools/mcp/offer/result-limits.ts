/** Limits on what a server's results add to the conversation (MC-6, MC-20). */

import type { Environment } from '../../../host/environment.js';

export type ResultLimits = {
  readonly maxTokens: number;
  /** The limit for a tool's own `anthropic/maxResultSizeChars`. */
  readonly mostChars: number;
};

const MAX_TOKENS = 25_000;
const MOST_CHARS = 100_000;
const CHARS_PER_TOKEN = 4;
/** Larger results are reported to the user. */
export const LARGE_TOKENS = 10_000;

/** `MAX_MCP_OUTPUT_TOKENS` is set by the user, so it also bounds what tools ask for. */
export function readResultLimits(env: Environment): ResultLimits {
  const requested = Number(env.MAX_MCP_OUTPUT_TOKENS);
  if (!Number.isInteger(requested) || requested < 1) return { maxTokens: MAX_TOKENS, mostChars: MOST_CHARS };
  return { maxTokens: requested, mostChars: requested * CHARS_PER_TOKEN };
}

/** The maximum characters of a tool's result; `wanted` is the tool's own value. */
export function maxChars({ maxTokens, mostChars }: ResultLimits, requested: unknown): number {
  if (typeof requested !== 'number' || !(requested >= 1)) return maxTokens * CHARS_PER_TOKEN;
  return Math.min(Math.floor(requested), mostChars);
}

/** An estimate: letters of most scripts are a token each, Latin ones a quarter. Only the start of a text is sampled. */
export function tokensPerChar(value: string): number {
  const sample = value.slice(0, SAMPLE);
  if (sample === '') return 1 / CHARS_PER_TOKEN;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant.
  const wide = sample.length - sample.replace(/[^\u0000-\u00ff]/g, '').length;
  return (wide + (sample.length - wide) / CHARS_PER_TOKEN) / sample.length;
}

const SAMPLE = 100_000;
