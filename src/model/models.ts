/** Model data: names, sizes, prices, behaviour. Provider folders contain the data; settings override it. */

import { type FrozenBlock, parseBlock } from '../protocol/frozen-block.js';
import type { HistoryView } from '../protocol/history.js';
import { inputTokens, type Usage } from '../protocol/usage.js';
import { ANTHROPIC_ALIASES, ANTHROPIC_MODELS } from './anthropic/anthropic-models.js';

export type ModelData = {
  readonly id: string;
  readonly context: number;
  readonly maxOutput: number;
  /** The smallest prefix the provider caches, in tokens. */
  readonly cacheMinimum: number;
  /** Thinking of earlier turns stays in the conversation. Other models drop it when text follows tool results. */
  readonly keepsThinking: boolean;
  /** `always`: can't be turned off. `adaptive`: the model decides how much. `budget`: takes a number of tokens. */
  readonly thinking: 'always' | 'adaptive' | 'budget' | 'none';
  /** Dollars per million tokens. Undefined: the model works, but its cost is unknown. */
  readonly prices?: Prices;
};

export type Prices = {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  /** Dollars per thousand searches of the web. */
  readonly webSearch?: number;
};

/** For models with prices, but none for searches. */
const DEFAULT_SEARCH_PRICE = 10;

export const DEFAULT_MODEL = 'opus';

/** Short names for models, of every provider. */
export const ALIASES: Readonly<Record<string, string>> = ANTHROPIC_ALIASES;

const MODELS: readonly ModelData[] = ANTHROPIC_MODELS;

/** Defaults for an unknown model: small sizes, no price, no optional features. */
const UNKNOWN = {
  context: 200_000,
  maxOutput: 32_000,
  cacheMinimum: 4096,
  keepsThinking: true,
  thinking: 'none',
} as const;

export type ModelOverrides = {
  readonly aliases?: Readonly<Record<string, string>>;
  readonly models?: Readonly<Record<string, Partial<Omit<ModelData, 'id'>>>>;
};

/** Resolves an alias to its full id. Any other name is already an id. */
export function resolveModel(name: string, overrides: ModelOverrides = {}): string {
  const key = name.trim().toLowerCase();
  return overrides.aliases?.[key] ?? ALIASES[key] ?? name.trim();
}

/** True if the model is known, here or in the settings. */
export function isKnownModel(id: string, overrides: ModelOverrides = {}): boolean {
  const undated = id.replace(/-\d{8}$/, '');
  return [id, undated].some((one) => findModel(one) !== undefined || overrides.models?.[one] !== undefined);
}

/** True for an alias, or the id of a model known here or in the settings. */
export function isModelName(name: string, overrides: ModelOverrides = {}): boolean {
  const key = name.trim().toLowerCase();
  const isAlias = key in ALIASES || key in (overrides.aliases ?? {});
  const undated = key.replace(/-\d{8}$/, '');
  const isId = MODELS.some(({ id }) => id === key || id === undated) || name.trim() in (overrides.models ?? {});
  return isAlias || isId;
}

export function modelData(id: string, overrides: ModelOverrides = {}): ModelData {
  const undated = id.replace(/-\d{8}$/, '');
  const known = findModel(id) ?? findModel(undated);
  return { ...(known ?? UNKNOWN), ...overrides.models?.[undated], ...overrides.models?.[id], id };
}

function findModel(id: string): ModelData | undefined {
  return MODELS.find((model) => model.id === id);
}

/** Undefined if the model has no price. */
export function costOf(usage: Usage, data: ModelData): number | undefined {
  const { prices } = data;
  if (prices === undefined) return undefined;
  const millionths =
    usage.input * prices.input +
    usage.output * prices.output +
    usage.cacheRead * prices.cacheRead +
    usage.cacheWrite5m * prices.cacheWrite5m +
    usage.cacheWrite1h * prices.cacheWrite1h;
  return millionths / 1_000_000 + searchCost(usage.webSearches ?? 0, data);
}

/** The cost of searches alone, without the tokens of their results. 0 if the model has no price. */
export function searchCost(searches: number, { prices }: ModelData): number {
  return prices === undefined ? 0 : (searches * (prices.webSearch ?? DEFAULT_SEARCH_PRICE)) / 1_000;
}

/** The cost of the same request without cache reads. */
export function costWithoutCache(usage: Usage, data: ModelData): number | undefined {
  const { prices } = data;
  if (prices === undefined) return undefined;
  const tokens = (inputTokens(usage) * prices.input + usage.output * prices.output) / 1_000_000;
  return tokens + searchCost(usage.webSearches ?? 0, data);
}

const BYTES_PER_TOKEN = 3.5;
/** An image or a page costs by its pixels, not its bytes: about this much, and at most that. */
const TOKENS_PER_PICTURE = 1_600;
const MOST_PER_PICTURE = 5_000;

export function estimateBlock(block: FrozenBlock): number {
  return sumOf(piecesOf(block), ({ type, bytes }) => {
    if (type === 'image') return TOKENS_PER_PICTURE;
    if (type === 'document') return Math.max(TOKENS_PER_PICTURE, Math.ceil(bytes / 30));
    return Math.ceil(bytes / BYTES_PER_TOKEN);
  });
}

export function estimateHistory(history: HistoryView, from = 0): number {
  return sumOf(blocksFrom(history, from), estimateBlock);
}

/** The most tokens messages can have: no token is shorter than a byte. */
export function mostTokens(history: HistoryView, from = 0): number {
  return sumOf(blocksFrom(history, from), (block) =>
    sumOf(piecesOf(block), ({ type, bytes }) => {
      if (type === 'image') return MOST_PER_PICTURE;
      return type === 'document' ? Math.max(MOST_PER_PICTURE, bytes) : bytes;
    }),
  );
}

type Piece = { readonly type: FrozenBlock['type']; readonly bytes: number };

/** A result with an image is measured part by part. */
function piecesOf({ type, bytes }: FrozenBlock): readonly Piece[] {
  const whole = { type, bytes: bytes.length };
  if (type !== 'tool_result' || !Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes('"source":{')) {
    return [whole];
  }
  const block = parseBlock({ type, bytes, takesBreakpoint: true });
  if (block.type !== 'tool_result' || typeof block.content === 'string') return [whole];
  return block.content.map((part) => ({ type: part.type, bytes: Buffer.byteLength(JSON.stringify(part)) }));
}

function* blocksFrom(history: HistoryView, from: number): Generator<FrozenBlock> {
  for (let index = from; index < history.length; index += 1) yield* history.at(index)?.blocks ?? [];
}

function sumOf<T>(items: Iterable<T>, size: (item: T) => number): number {
  let sum = 0;
  for (const item of items) sum += size(item);
  return sum;
}
