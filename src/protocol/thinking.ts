/** How a model should think, as requested by the user or a client. `model/thinking.ts` maps it to each model. */

/** `enabled` with a budget, if the model supports one; otherwise like `adaptive`. */
export type ThinkingChoice = {
  readonly type: 'adaptive' | 'enabled' | 'disabled';
  readonly budgetTokens?: number;
  /** Controls the visibility of the thinking. */
  readonly display?: 'summarized' | 'omitted';
};
