/** What a mode makes of an answer in the end. What it lets through on the way is decided where the answer is found. */

import type { Decision } from '../../protocol/permission.js';
import { deny } from './decision.js';
import type { Policy } from './policy.js';

export function settleMode(policy: Policy, decision: Decision): Decision {
  if (policy.mode !== 'dontAsk' || decision.behavior !== 'ask') return decision;
  return deny(
    `mode dontAsk, ${decision.by}`,
    `this would need the person's word (${decision.reason}), and in this mode nobody is asked. Do it another way, or say what you need.`,
  );
}
