/**
 * The frozen prefix of a conversation: model, parameters, tools and system prompt as bytes. It is made once per epoch,
 * stored under its hash, and every request of the epoch, and of every fork, repeats it. A provider writes the bytes.
 */

export type PrefixContent = {
  /** A full id. */
  readonly model: string;
  readonly thinking?: Thinking;
  readonly effort?: string;
  readonly tools: readonly PrefixTool[];
  /** Texts of white space only are left out. */
  readonly system: readonly string[];
};

export type PrefixTool = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
};

/** How a model is asked to think. Absent: nothing is said about it. */
export type Thinking =
  /** The model decides how much. */
  { readonly kind: 'adaptive' } | { readonly kind: 'budget'; readonly tokens: number } | { readonly kind: 'off' };

/** Everything but `bytes` is read from `bytes`: a prefix that was stored and loaded is the same prefix. */
export type Prefix = {
  /** Of `bytes`, in hexadecimal digits. Two prefixes with the same hash are the same prefix. */
  readonly sha256: string;
  /** What is stored: one JSON object with all that is part of the hash. */
  readonly bytes: Buffer;
  readonly model: string;
  readonly tools: readonly PrefixTool[];
  readonly system: readonly string[];
};
