/** What is known of each model: names, sizes, prices, habits. Data; settings can add to it and override it. */

import type { Usage } from '../protocol/usage.js';
import { inputTokens } from '../protocol/usage.js';
import type { WireThinking } from './anthropic/wire.js';

export type ModelData = {
  readonly id: string;
  readonly context: number;
  readonly maxOutput: number;
  /** The smallest prefix the API caches, in tokens. */
  readonly cacheMinimum: number;
  /** Thinking of earlier turns stays part of the conversation; others drop it when text follows tool results. */
  readonly keepsThinking: boolean;
  /** `always`: can't be switched off. `adaptive`: the model decides how much. `budget`: takes a number of tokens. */
  readonly thinking: 'always' | 'adaptive' | 'budget' | 'none';
  /** Dollars per million tokens. Unknown: the model works, without a price. */
  readonly prices?: Prices;
};

export type Prices = {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
};

export const DEFAULT_MODEL = 'opus';

export const ALIASES: Readonly<Record<string, string>> = {
  fable: 'claude-fable-5-1',
  opus: 'claude-opus-5-5',
  sonnet: 'claude-sonnet-5-5',
  haiku: 'claude-haiku-5-5',
};

const LARGE = { context: 1_000_000, maxOutput: 128_000, keepsThinking: true } as const;
const MIDDLE = { context: 200_000, maxOutput: 64_000 } as const;

const MODELS: readonly ModelData[] = [
  { id: 'claude-fable-5-1', ...LARGE, cacheMinimum: 512, thinking: 'always', prices: priced(10, 50) },
  { id: 'claude-fable-5', ...LARGE, cacheMinimum: 512, thinking: 'always', prices: priced(10, 50) },
  { id: 'claude-opus-5-5', ...LARGE, cacheMinimum: 512, thinking: 'always', prices: priced(4, 20, 0.2) },
  { id: 'claude-opus-5', ...LARGE, cacheMinimum: 512, thinking: 'adaptive', prices: priced(5, 25) },
  { id: 'claude-opus-4-8', ...LARGE, cacheMinimum: 1024, thinking: 'adaptive', prices: priced(5, 25) },
  { id: 'claude-opus-4-7', ...LARGE, cacheMinimum: 2048, thinking: 'adaptive', prices: priced(5, 25) },
  { id: 'claude-opus-4-6', ...LARGE, cacheMinimum: 4096, thinking: 'adaptive', prices: priced(5, 25) },
  {
    id: 'claude-opus-4-5',
    ...MIDDLE,
    cacheMinimum: 4096,
    keepsThinking: true,
    thinking: 'budget',
    prices: priced(5, 25),
  },
  { id: 'claude-sonnet-5-5', ...LARGE, cacheMinimum: 1024, thinking: 'adaptive', prices: priced(2, 10) },
  { id: 'claude-sonnet-5', ...LARGE, cacheMinimum: 1024, thinking: 'adaptive', prices: priced(2, 10) },
  { id: 'claude-sonnet-4-6', ...LARGE, cacheMinimum: 1024, thinking: 'adaptive', prices: priced(3, 15) },
  {
    id: 'claude-sonnet-4-5',
    ...MIDDLE,
    cacheMinimum: 1024,
    keepsThinking: false,
    thinking: 'budget',
    prices: priced(3, 15),
  },
  { id: 'claude-haiku-5-5', ...LARGE, cacheMinimum: 1024, thinking: 'adaptive', prices: priced(0.1, 0.5) },
  {
    id: 'claude-haiku-4-5',
    ...MIDDLE,
    cacheMinimum: 4096,
    keepsThinking: false,
    thinking: 'budget',
    prices: priced(1, 5),
  },
];

/** A model nobody told us about: modest sizes, no price, nothing asked of it that it may not know. */
const UNKNOWN = { ...MIDDLE, maxOutput: 32_000, cacheMinimum: 4096, keepsThinking: true, thinking: 'none' } as const;

export type ModelOverrides = {
  readonly aliases?: Readonly<Record<string, string>>;
  readonly models?: Readonly<Record<string, Partial<Omit<ModelData, 'id'>>>>;
};

/** The full id an alias stands for; any other name is an id already. */
export function resolveModel(name: string, overrides: ModelOverrides = {}): string {
  const key = name.trim().toLowerCase();
  return overrides.aliases?.[key] ?? ALIASES[key] ?? name.trim();
}

export function modelData(id: string, overrides: ModelOverrides = {}): ModelData {
  const undated = id.replace(/-\d{8}$/, '');
  const known = MODELS.find((model) => model.id === id || model.id === undated);
  return { ...(known ?? UNKNOWN), ...overrides.models?.[undated], ...overrides.models?.[id], id };
}

/** Undefined when the model has no price. */
export function costOf(usage: Usage, data: ModelData): number | undefined {
  const { prices } = data;
  if (prices === undefined) return undefined;
  const millionths =
    usage.input * prices.input +
    usage.output * prices.output +
    usage.cacheRead * prices.cacheRead +
    usage.cacheWrite5m * prices.cacheWrite5m +
    usage.cacheWrite1h * prices.cacheWrite1h;
  return millionths / 1_000_000;
}

/** What the same request would have cost had nothing been read from the cache. */
export function costWithoutCache(usage: Usage, data: ModelData): number | undefined {
  const { prices } = data;
  if (prices === undefined) return undefined;
  return (inputTokens(usage) * prices.input + usage.output * prices.output) / 1_000_000;
}

const BUDGETS: Readonly<Record<string, number>> = {
  low: 4_000,
  medium: 10_000,
  high: 24_000,
  xhigh: 32_000,
  max: 48_000,
};

/** The smallest budget the API takes. */
const LEAST_BUDGET = 1_024;

/** The parameters by which a model is asked to think, or not to, in a reply of at most `maxTokens`. */
export function thinkingParameters(
  data: ModelData,
  thinks: boolean,
  effort: string | undefined,
  maxTokens = Number.POSITIVE_INFINITY,
): { readonly thinking?: WireThinking; readonly effort?: string } {
  const withEffort = effort === undefined || data.thinking === 'none' || data.thinking === 'budget' ? {} : { effort };
  switch (data.thinking) {
    case 'always':
      return { thinking: { type: 'adaptive', display: 'summarized' }, ...withEffort };
    case 'adaptive':
      return { thinking: thinks ? { type: 'adaptive', display: 'summarized' } : { type: 'disabled' }, ...withEffort };
    case 'budget': {
      // The API wants the budget below the output limit; half of it stays for the reply.
      const budget = Math.min(BUDGETS[effort ?? 'medium'] ?? 10_000, Math.floor(maxTokens / 2));
      if (!thinks || budget < LEAST_BUDGET) return {};
      return { thinking: { type: 'enabled', budget_tokens: budget } };
    }
    case 'none':
      return {};
    default:
      return data.thinking satisfies never;
  }
}

/** Writing costs a quarter more than the base price for five minutes, twice the base price for an hour. */
function priced(input: number, output: number, cacheRead = input / 10): Prices {
  return { input, output, cacheRead, cacheWrite5m: input * 1.25, cacheWrite1h: input * 2 };
}
