/** Offers for "always". An offer is made only if this very call would run with it (GT-11). */

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
  /** Destructive commands are allowed exactly as written, never by a prefix. */
  readonly isDestructive: boolean;
};

/** The code that judges is large, and is loaded here unless an earlier call did. */
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
  const scope = ruleScopeOf(requester.cwd, requester.roots, requester.files);
  // Outside the roots there is nothing to bind "always" to.
  if (scope?.root !== undefined) {
    const origin = answerOrigin(scope.root);
    const where = rules.storesFor(scope);
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

/** Prefix rules that together would let this call run next time too; undefined if there are none. */
export async function findCoveringRules(
  { cwd, roots, files }: Pick<Requester, 'cwd' | 'roots' | 'files'>,
  call: GatedCall,
  policy: Policy,
): Promise<readonly string[] | undefined> {
  const [{ judge }, { suggestPrefixes }] = await Promise.all([
    import('../permissions/judge.js'),
    import('../permissions/suggest-rules.js'),
  ]);
  const root = ruleScopeOf(cwd, roots, files)?.root ?? cwd;
  const texts = call.actions.flatMap((action) => (action.kind === 'shell' ? suggestPrefixes(action.command) : []));
  const wouldRun = (given: readonly string[]) => {
    const rules = given.flatMap((text) => parseRule(text, 'allow', answerOrigin(root)).rule ?? []);
    return judge({ ...call, cwd }, { ...policy, rules: [...policy.rules, ...rules] }).behavior === 'allow';
  };
  if (texts.length === 0 || !wouldRun(texts)) return undefined;
  // Without those that are not needed.
  return texts.reduce<readonly string[]>((needed, text) => {
    const fewer = needed.filter((one) => one !== text);
    return fewer.length > 0 && wouldRun(fewer) ? fewer : needed;
  }, texts);
}

function isPrefix(matches: { readonly kind: string; readonly pattern?: unknown }): boolean {
  return matches.kind === 'command' && (matches.pattern as { readonly form?: string }).form === 'prefix';
}
