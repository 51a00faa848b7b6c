/** What a person says to a plan (EX-15). */

import type { PermissionAnswer, PermissionQuestion } from '../../protocol/permission.js';

type Plan = NonNullable<PermissionQuestion['plan']>;

/** `text`: the plan as it is now; it goes along only if the person changed it. */
export function acceptPlan(given: Plan, text: string, edits: 'ask' | 'accept'): PermissionAnswer {
  return {
    behavior: 'allow',
    ...(text === given.text ? {} : { updatedInput: { plan: text } }),
    ...(edits === 'accept' ? { always: [{ kind: 'mode', mode: 'acceptEdits' }] } : {}),
  };
}
