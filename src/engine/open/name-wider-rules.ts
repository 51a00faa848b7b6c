/** Names once, at the first start with such rules, the allow rules that cover more than in earlier versions (GT-35). */

import type { SourcedRule } from '../../config/settings/collect-sources.js';
import { openTrust } from '../../config/trust.js';
import type { Host } from '../../host/host.js';
import { escapeToLine } from '../../protocol/escape-controls.js';
import { joinSome } from '../../protocol/text/one-line.js';

/** Raised when a rule of the same text begins to cover more. */
const MEANING = 1;

/** The notice, if it was never shown. Rules of the command line are written with this version in mind. */
export async function nameWiderRules(host: Host, rules: readonly SourcedRule[]): Promise<readonly string[]> {
  const allowing = rules
    .filter(({ behavior, origin }) => behavior === 'allow' && origin.scope !== 'command line')
    .map(({ rule }) => rule);
  if (allowing.length === 0) return [];
  const trust = openTrust(host);
  if ((await trust.knownMeaning()) >= MEANING) return [];
  // The table of programs is large: loaded only until the notice was shown.
  const { meansMore } = await import('../../gate/permissions/rules/describe-rule.js');
  const wider = allowing.filter(meansMore);
  if (wider.length === 0) return [];
  // Not shown where it could not be stored: it would come with every start.
  if (!(await trust.saveMeaning(MEANING)).ok) return [];
  const names = escapeToLine(joinSome([...new Set(wider)], 10));
  return [
    `These allow rules now cover everything that their program runs, with any options: ${names}. ` +
      '/permissions and coppice doctor mark what they let through. This is shown once.',
  ];
}
