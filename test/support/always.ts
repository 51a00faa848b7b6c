/** Answers that last: the narrowest rule that a question offers, or another one of its offers. */

import type { PermissionAnswer, PermissionChoice, PermissionQuestion } from '../../src/protocol/permission.js';

export function always(
  question: PermissionQuestion | undefined,
  where: 'session' | 'local' = 'session',
  nth = 0,
): PermissionAnswer {
  const rules = offeredRules(question);
  const choices: PermissionChoice[] = rules.slice(nth, nth + 1).map((rule) => ({ kind: 'rule', rule, where }));
  return { behavior: 'allow', ...(choices.length > 0 ? { always: choices } : {}) };
}

export function offeredRules(question: PermissionQuestion | undefined): string[] {
  return (question?.offers ?? []).flatMap((offer) => (offer.kind === 'rule' ? [offer.rule] : []));
}
