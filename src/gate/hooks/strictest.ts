/** Deny beats ask, ask beats allow, anything beats silence. */

import type { HookDecision } from './hook-answer.js';

const FROM_STRICTEST = ['deny', 'ask', 'allow'] as const;

export function strictest(decisions: readonly (HookDecision | undefined)[]): HookDecision | undefined {
  return FROM_STRICTEST.find((decision) => decisions.includes(decision));
}
