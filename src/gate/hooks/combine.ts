/** Many hooks, one verdict: the strictest answer wins, context adds up in the order of the configuration. */

import { isDeepStrictEqual } from 'node:util';
import { type HookAnswer, type HookDecision, type HookMessage, strictest } from './hook-answer.js';
import { EVENT_TRAITS, type HookEvent } from './hook-events.js';

export type HookVerdict = {
  /** How many hooks ran. */
  readonly ran: number;
  /** Absent: no hook had an opinion. At events that are not about a call only `deny`, which means "not like this". */
  readonly decision?: HookDecision;
  /** Of those who gave the decision. */
  readonly reason?: string;
  /** The call's input, rewritten. It passes the gate again. */
  readonly updatedInput?: Readonly<Record<string, unknown>>;
  /** For the model, each at most 10,000 characters. */
  readonly context: readonly string[];
  /** The run is to end, and why. */
  readonly stop?: string;
  /** Where a WorktreeCreate hook made the worktree. */
  readonly worktreePath?: string;
  /** For people: what hooks had to say, and every failure. */
  readonly messages: readonly HookMessage[];
};

export const NO_VERDICT: HookVerdict = Object.freeze({ ran: 0, context: [], messages: [] });

/** `answers` in the order of the configuration. */
export function combine(event: HookEvent, answers: readonly HookAnswer[]): HookVerdict {
  const messages = answers.flatMap((answer) => answer.messages);
  const stops = definedOf(answers, (answer) => answer.stop);
  const decision = decide(event, answers, stops.length > 0);
  const reason = definedOf(answers, (answer) => (answer.decision === decision ? answer.reason : undefined));
  const reasons = reason.length > 0 ? reason : decision === 'deny' ? stops : [];
  const updatedInput =
    decision === 'deny'
      ? undefined
      : lastOf(
          'updatedInput',
          definedOf(answers, (answer) => answer.updatedInput),
          messages,
        );
  const worktreePath = lastOf(
    'worktree path',
    definedOf(answers, (answer) => answer.worktreePath),
    messages,
  );
  return {
    ran: answers.length,
    context: definedOf(answers, (answer) => answer.context),
    messages,
    ...(decision === undefined ? {} : { decision }),
    ...(reasons.length > 0 ? { reason: reasons.join('\n') } : {}),
    ...(updatedInput === undefined ? {} : { updatedInput }),
    ...(stops.length > 0 ? { stop: stops.join('\n') } : {}),
    ...(worktreePath === undefined ? {} : { worktreePath }),
  };
}

function decide(event: HookEvent, answers: readonly HookAnswer[], stops: boolean): HookDecision | undefined {
  // A call in a run that is to end must not slip through before the end.
  if (stops && EVENT_TRAITS[event].guards) return 'deny';
  return strictest(answers.map((answer) => answer.decision));
}

function lastOf<T>(what: string, values: readonly T[], messages: HookMessage[]): T | undefined {
  if (values.some((value) => !isDeepStrictEqual(value, values[0]))) {
    const text = `${values.length} hooks gave a different ${what}; the last one in the configuration counts`;
    messages.push({ level: 'warning', hook: 'hooks', text });
  }
  return values.at(-1);
}

function definedOf<T>(answers: readonly HookAnswer[], pick: (answer: HookAnswer) => T | undefined): T[] {
  return answers.map(pick).filter((value) => value !== undefined);
}
