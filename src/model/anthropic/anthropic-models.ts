/** Anthropic's models: ids, sizes, prices in dollars per million tokens. Data only. */

export const ANTHROPIC_ALIASES: Readonly<Record<string, string>> = {
  fable: 'claude-fable-5-1',
  opus: 'claude-opus-5-5',
  sonnet: 'claude-sonnet-5-5',
  haiku: 'claude-haiku-5-5',
};

const LARGE = { context: 1_000_000, maxOutput: 128_000, keepsThinking: true } as const;
const MIDDLE = { context: 200_000, maxOutput: 64_000 } as const;

export const ANTHROPIC_MODELS = [
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
] as const;

/** A cache write costs 1.25 times the base price for five minutes, and twice the base price for an hour. */
function priced(input: number, output: number, cacheRead = input / 10) {
  return { input, output, cacheRead, cacheWrite5m: input * 1.25, cacheWrite1h: input * 2 };
}
