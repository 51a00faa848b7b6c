/** Combines the answers of several hooks: the strictest decision wins, context adds up in configuration order. */

import { isDeepStrictEqual } from 'node:util';
import { type HookAnswer, type HookDecision, type HookElicited, type HookMessage, strictest } from './hook-answer.js';
import { EVENT_TRAITS, type HookEvent } from './hook-events.js';

export type HookVerdict = {
  /** The number of hooks that ran. */
  readonly ran: number;
  /** Absent if no hook decided. At events that are not about a call only `deny`, which blocks. */
  readonly decision?: HookDecision;
  /** From the hooks that gave the decision. */
  readonly reason?: string;
  /** The call's rewritten input. It passes the gate again. */
  readonly updatedInput?: Readonly<Record<string, unknown>>;
  /** For the model, each at most 10,000 characters. */
  readonly context: readonly string[];
  /** Set if the run must end: the reason. */
  readonly stop?: string;
  /** The path of the worktree that a WorktreeCreate hook created. */
  readonly worktreePath?: string;
  /** The hooks' answer to a server's question; a deny takes precedence. */
  readonly elicited?: HookElicited;
  /** Messages for users: from hooks, and every failure. */
  readonly messages: readonly HookMessage[];
};

export const NO_VERDICT: HookVerdict = Object.freeze({ ran: 0, context: [], messages: [] });

/** `answers` in configuration order. */
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
  const elicited = definedOf(answers, (answer) => answer.elicited);
  const chosen = elicited.find(({ action }) => action === 'cancel') ?? lastOf('answer', elicited, messages);
  return {
    ran: answers.length,
    context: definedOf(answers, (answer) => answer.context),
    messages,
    ...(decision === undefined ? {} : { decision }),
    ...(reasons.length > 0 ? { reason: reasons.join('\n') } : {}),
    ...(updatedInput === undefined ? {} : { updatedInput }),
    ...(stops.length > 0 ? { stop: stops.join('\n') } : {}),
    ...(worktreePath === undefined ? {} : { worktreePath }),
    ...(chosen === undefined || decision === 'deny' ? {} : { elicited: chosen }),
  };
}

function decide(event: HookEvent, answers: readonly HookAnswer[], stops: boolean): HookDecision | undefined {
  // In a run that must end, no further call may start.
  if (stops && EVENT_TRAITS[event].guards) return 'deny';
  return strictest(answers.map((answer) => answer.decision));
}

function lastOf<T>(what: string, values: readonly T[], messages: HookMessage[]): T | undefined {
  if (values.some((value) => !isDeepStrictEqual(value, values[0]))) {
    const text = `${values.length} hooks gave a different ${what}; the last one in the configuration is used`;
    messages.push({ level: 'warning', hook: 'hooks', text });
  }
  return values.at(-1);
}

function definedOf<T>(answers: readonly HookAnswer[], pick: (answer: HookAnswer) => T | undefined): T[] {
  return answers.map(pick).filter((value) => value !== undefined);
}
