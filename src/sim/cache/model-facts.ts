/** Model data of the simulated API, by family, from Anthropic's documentation. A caller may override any of it. */

export type ModelFacts = {
  /** Shorter prefixes are not cached. */
  readonly cacheMinimum: number;
  readonly contextTokens: number;
  /** Thinking of earlier turns is dropped from the prompt after a new user message. */
  readonly dropsThinking: boolean;
  /** Accepts `thinking: {type: "enabled", budget_tokens}`. */
  readonly manualThinking: boolean;
  /** Accepts a conversation that ends with an assistant message. */
  readonly prefill: boolean;
  /** Accepts messages of the role `system` in a conversation. */
  readonly systemMessages: boolean;
};

/** By model id, or a prefix of one. */
export type ModelOverrides = Readonly<Record<string, Partial<ModelFacts>>>;

const NEWEST: ModelFacts = {
  cacheMinimum: 1_024,
  contextTokens: 1_000_000,
  dropsThinking: false,
  manualThinking: false,
  prefill: false,
  systemMessages: true,
};

const OLDER: ModelFacts = {
  cacheMinimum: 1_024,
  contextTokens: 200_000,
  dropsThinking: true,
  manualThinking: true,
  prefill: true,
  systemMessages: false,
};

/** The first matching pattern wins. A model without a match is treated as a new one. */
const FAMILIES: readonly (readonly [RegExp, ModelFacts])[] = [
  [/^claude-3.*haiku/, { ...OLDER, cacheMinimum: 2_048 }],
  [/^claude-(3|2|instant)/, OLDER],
  [/^claude-haiku-4/, { ...OLDER, cacheMinimum: 4_096 }],
  [/^claude-opus-4-5/, { ...OLDER, cacheMinimum: 4_096, dropsThinking: false }],
  [/^claude-opus-4-6/, { ...NEWEST, cacheMinimum: 4_096, manualThinking: true, systemMessages: false }],
  [/^claude-opus-4-7/, { ...NEWEST, cacheMinimum: 4_096, systemMessages: false }],
  [/^claude-opus-4-8/, NEWEST],
  [/^claude-opus-4/, OLDER],
  [/^claude-sonnet-4-6/, { ...NEWEST, manualThinking: true, systemMessages: false }],
  [/^claude-sonnet-4/, OLDER],
  [/^claude-mythos-preview/, { ...NEWEST, cacheMinimum: 4_096, manualThinking: true, systemMessages: false }],
];

export function factsFor(model: string, overrides: ModelOverrides = {}): ModelFacts {
  const family = FAMILIES.find(([pattern]) => pattern.test(model))?.[1] ?? NEWEST;
  const longest = Object.keys(overrides)
    .filter((start) => model.startsWith(start))
    .sort((a, b) => b.length - a.length)[0];
  return longest === undefined ? family : { ...family, ...overrides[longest] };
}
