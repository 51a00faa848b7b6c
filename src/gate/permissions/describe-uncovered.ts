/**
 * Describes the parts of a line that nothing covers, for the question, the denial and `permissions test` alike (GT-13):
 * each part with the objection to it, the nearest rule, and the rule that would cover it next time too.
 */

import { escapeControls } from '../../protocol/escape-controls.js';
import type { Decision } from '../../protocol/permission.js';
import { ask, askFirmly } from './decision.js';
import type { Policy } from './policy.js';
import type { Uncovered } from './shell/parts/line-assessment.js';

const LONGEST_PART = 120;
const MOST_PARTS = 4;

export function describeUncovered(
  uncovered: readonly Uncovered[],
  { reading, policy }: { readonly reading: { readonly text: string }; readonly policy: Policy },
): Decision {
  const parts = distinct(uncovered);
  const whole = parts.length === 1 && parts[0]?.part.trim() === reading.text.trim();
  const reasons = parts.map(({ part, reason }) => (whole ? reason : `${quote(part)}: ${reason}`));
  const shown = reasons.slice(0, MOST_PARTS);
  const more = reasons.length > MOST_PARTS ? [`${reasons.length - MOST_PARTS} more parts`] : [];
  const reason = [[...shown, ...more].join('; '), describeNearest(parts)].filter((text) => text !== '').join(' ');
  const isFirm = parts.some(({ firm }) => firm === true);
  const decision = isFirm ? askFirmly('check protected-name', reason) : ask('check command', reason);
  const needsTrust = !policy.trusted && parts.some((one) => one.needsTrust === true);
  return {
    ...decision,
    uncovered: parts.map(({ part, reason }) => ({ part, reason })),
    ...(needsTrust ? { needsTrust } : {}),
  } as Decision;
}

function distinct(uncovered: readonly Uncovered[]): readonly Uncovered[] {
  const byPart = new Map<string, Uncovered>();
  for (const one of uncovered) if (!byPart.has(one.part)) byPart.set(one.part, one);
  return [...byPart.values()];
}

function describeNearest(parts: readonly Uncovered[]): string {
  const rules = [...new Set(parts.flatMap(({ nearest }) => (nearest === undefined ? [] : [nearest.text])))];
  if (rules.length === 0) return '';
  return `(the nearest ${rules.length === 1 ? 'rule is' : 'rules are'} ${rules.join(', ')})`;
}

function quote(part: string): string {
  const text = escapeControls(part.trim());
  return `\`${text.length > LONGEST_PART ? `${text.slice(0, LONGEST_PART)}…` : text}\``;
}
