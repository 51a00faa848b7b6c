/** Maps a thinking setting to the parameters of a model, and reports which part of it the model does not support. */

import type { ThinkingChoice } from '../protocol/commands.js';
import type { ModelData } from './models.js';
import type { Thinking } from './prefix.js';

/** A choice, or only on or off: then the effort determines how much. */
export type ThinkingWish = boolean | ThinkingChoice;

const BUDGETS: Readonly<Record<string, number>> = {
  low: 4_000,
  medium: 10_000,
  high: 24_000,
  xhigh: 32_000,
  max: 48_000,
};

/** Providers refuse a smaller budget. */
const LEAST_BUDGET = 1_024;
/** The part of the reply that remains after a requested budget. */
const LEAST_REPLY = 1_024;

/** The thinking parameters for a reply of at most `maxTokens`. */
export function thinkingParameters(
  data: ModelData,
  wish: ThinkingWish,
  effort: string | undefined,
  maxTokens = Number.POSITIVE_INFINITY,
): { readonly thinking?: Thinking; readonly effort?: string } {
  const { type, budgetTokens, display } = toChoice(wish);
  const shown = display === undefined ? {} : { display };
  const withEffort = effort === undefined || data.thinking === 'none' || data.thinking === 'budget' ? {} : { effort };
  switch (data.thinking) {
    case 'always':
      return { thinking: { kind: 'adaptive', ...shown }, ...withEffort };
    case 'adaptive':
      return { thinking: type === 'disabled' ? { kind: 'off' } : { kind: 'adaptive', ...shown }, ...withEffort };
    case 'budget': {
      const tokens = type === 'disabled' ? 0 : budgetFor(budgetTokens, effort, maxTokens);
      return tokens < LEAST_BUDGET ? {} : { thinking: { kind: 'budget', tokens, ...shown } };
    }
    case 'none':
      return {};
    default:
      return data.thinking satisfies never;
  }
}

function toChoice(wish: ThinkingWish): ThinkingChoice {
  return typeof wish === 'object' ? wish : { type: wish ? 'adaptive' : 'disabled' };
}

function budgetFor(asked: number | undefined, effort: string | undefined, maxTokens: number): number {
  if (asked !== undefined) return Math.min(Math.max(asked, LEAST_BUDGET), maxTokens - LEAST_REPLY);
  // Thinking is part of the output limit: reserve half of it for the reply.
  return Math.min(BUDGETS[effort ?? 'medium'] ?? 10_000, Math.floor(maxTokens / 2));
}

/** Returns the part of a choice that this model does not support, as a line for the user. */
export function untakenThinking(
  data: ModelData,
  choice: ThinkingChoice,
  effort: string | undefined,
  maxTokens: number,
): string | undefined {
  const { id } = data;
  const { type, budgetTokens: asked } = choice;
  if (type === 'disabled')
    return data.thinking === 'always' ? `${id} always thinks; thinking can't be turned off` : undefined;
  switch (data.thinking) {
    case 'none':
      return `${id} is not known to support thinking, so it is off (set "models" in the settings to change that)`;
    case 'always':
    case 'adaptive':
      if (asked === undefined) return undefined;
      return `${id} decides itself how much to think and takes no budget (${asked} tokens); use --effort instead`;
    case 'budget': {
      const tokens = budgetFor(asked, effort, maxTokens);
      if (tokens < LEAST_BUDGET) return `${id} does not think: its replies are at most ${maxTokens} tokens long`;
      if (asked === tokens) return undefined;
      if (asked !== undefined) return `${id} thinks with a budget of ${tokens} tokens, not ${asked}`;
      return type === 'adaptive' ? `${id} can't decide itself how much to think; it has ${tokens} tokens` : undefined;
    }
    default:
      return data.thinking satisfies never;
  }
}
