/** Builds decisions, finds the strictest of several, and applies the mode to the final one. */

import type { Decision, RunProfile } from '../../protocol/permission.js';
import type { Policy } from './policy.js';
import type { Rule } from './rules/rule.js';

export function allow(by: string): Decision {
  return { behavior: 'allow', by };
}

/** No person allows it, so it runs with limits. */
export function allowAs(by: string, run: RunProfile): Decision {
  return { behavior: 'allow', by, run };
}

export function ask(by: string, reason: string): Decision {
  return { behavior: 'ask', by, reason };
}

/** A question that must be asked regardless of hooks. */
export function askFirmly(by: string, reason: string): Decision {
  return { behavior: 'ask', by, reason, firm: true };
}

export function deny(by: string, reason: string): Decision {
  return { behavior: 'deny', by, reason };
}

export function nameRule(rule: Rule): string {
  return `${rule.behavior} rule ${rule.text} (${rule.origin.source})`;
}

export function denyByRule(rule: Rule, what: string): Decision {
  return deny(
    nameRule(rule),
    `${what} is denied by the rule ${rule.text} from ${rule.origin.source}. No other rule lifts that: do without it, or say what you need and why.`,
  );
}

export function askByRule(rule: Rule, what: string): Decision {
  return askFirmly(nameRule(rule), `the rule ${rule.text} from ${rule.origin.source} asks about ${what}`);
}

function strictness(decision: Decision): number {
  switch (decision.behavior) {
    case 'allow':
      return 0;
    case 'ask':
      return decision.firm === true ? 2 : 1;
    case 'deny':
      return 3;
    default:
      return decision satisfies never;
  }
}

/** Undefined for an empty list. */
export function strictest(decisions: readonly Decision[]): Decision | undefined {
  return decisions.reduce<Decision | undefined>(
    (worst, next) => (worst === undefined || strictness(next) > strictness(worst) ? next : worst),
    undefined,
  );
}

/** Applies only dontAsk; what other modes allow is decided earlier. */
export function settleMode(policy: Policy, decision: Decision): Decision {
  if (policy.mode !== 'dontAsk' || decision.behavior !== 'ask') return decision;
  return deny(
    `mode dontAsk, ${decision.by}`,
    `this needs the person's permission (${decision.reason}), and in this mode nobody is asked. Do without it, or say what you need.`,
  );
}
