/** What "always" can mean for a call. An offer is made only if, judged with it, this very call would run (GT-11). */

import type { PermissionOffer } from '../../protocol/permission.js';
import type { GatedCall } from '../gated-call.js';
import type { Policy } from '../permissions/policy.js';
import { parseRule } from '../permissions/rules/rule.js';
import { ruleScopeOf } from '../permissions/rules/rule-scope.js';
import type { Requester } from '../requester.js';
import { answerOrigin, type SessionRules } from '../session-rules.js';

export type OfferOptions = {
  readonly rules: Pick<SessionRules, 'storesFor'>;
  readonly policy: Policy;
  /** What it destroys is asked about each time, or exactly: never by a prefix. */
  readonly isDestructive: boolean;
};

/** The code that judges is large: it is loaded by the caller's call before, or here. */
export async function makeOffers(
  requester: Requester,
  call: GatedCall,
  { rules, policy, isDestructive }: OfferOptions,
): Promise<readonly PermissionOffer[]> {
  const [{ judge }, { suggestRules }] = await Promise.all([
    import('../permissions/judge.js'),
    import('../permissions/suggest-rules.js'),
  ]);
  const judged = { ...call, cwd: requester.cwd };
  const wouldRun = (change: Partial<Policy>) => judge(judged, { ...policy, ...change }).behavior === 'allow';
  const offers: PermissionOffer[] = [];
  const place = ruleScopeOf(requester.cwd, requester.roots, requester.files);
  // Outside the roots there is nothing that "always" could be bound to.
  if (place?.root !== undefined) {
    const origin = answerOrigin(place.root);
    const where = rules.storesFor(place);
    for (const text of suggestRules(call)) {
      const { rule } = parseRule(text, 'allow', origin);
      if (rule === undefined || (isDestructive && isPrefix(rule.matches))) continue;
      if (wouldRun({ rules: [...policy.rules, rule] })) offers.push({ kind: 'rule', rule: text, where });
    }
  }
  if (policy.mode === 'default' && wouldRun({ mode: 'acceptEdits' }))
    offers.push({ kind: 'mode', mode: 'acceptEdits' });
  return offers;
}

function isPrefix(matches: { readonly kind: string; readonly pattern?: unknown }): boolean {
  return matches.kind === 'command' && (matches.pattern as { readonly form?: string }).form === 'prefix';
}
