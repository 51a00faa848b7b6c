/** How a model is to think, as a person or a client asks for it. What a model makes of it: `model/thinking.ts`. */

/** `enabled` with a budget, where a model takes one; otherwise like `adaptive`. */
export type ThinkingChoice = {
  readonly type: 'adaptive' | 'enabled' | 'disabled';
  readonly budgetTokens?: number;
  /** Whether what the model thinks is shown. */
  readonly display?: 'summarized' | 'omitted';
};
