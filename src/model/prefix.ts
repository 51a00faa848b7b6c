/**
 * The frozen prefix of a conversation: model, parameters, tools and system prompt as bytes. It is created once per
 * epoch and stored under its hash. Every request of the epoch and of its forks repeats it. A provider writes the bytes.
 */

import type { ThinkingChoice } from '../protocol/commands.js';

export type PrefixContent = {
  /** A full id. */
  readonly model: string;
  readonly thinking?: Thinking;
  readonly effort?: string;
  /** The number of tokens that the model is told it has for the whole task. */
  readonly taskBudget?: number;
  readonly tools: readonly PrefixTool[];
  /** Texts with only white space are dropped. */
  readonly system: readonly string[];
};

export type PrefixTool = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
};

/** The thinking mode. Absent: the request does not mention it. */
export type Thinking =
  /** The model decides how much. */
  | { readonly kind: 'adaptive'; readonly display?: ThinkingDisplay }
  | { readonly kind: 'budget'; readonly tokens: number; readonly display?: ThinkingDisplay }
  | { readonly kind: 'off' };

/** Controls whether the thinking text is part of the reply. Absent: the provider's default. */
type ThinkingDisplay = NonNullable<ThinkingChoice['display']>;

/** Everything except `bytes` is derived from `bytes`: storing and loading a prefix does not change it. */
export type Prefix = {
  /** The hash of `bytes`, in hexadecimal. Two prefixes with the same hash are identical. */
  readonly sha256: string;
  /** The stored form: one JSON object with everything that is part of the hash. */
  readonly bytes: Buffer;
  readonly model: string;
  readonly tools: readonly PrefixTool[];
  readonly system: readonly string[];
  /** The parameters it was frozen with, as far as the bytes contain them. */
  readonly parameters?: { readonly thinking?: ThinkingChoice; readonly effort?: string; readonly taskBudget?: number };
};
