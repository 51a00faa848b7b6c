/** Asks the user a question that is not about a call. */

import type { PermissionQuestion } from '../../protocol/permission.js';
import type { NamedInput } from '../../protocol/tools/built-in-tools.js';
import type { Requester } from '../requester.js';
import type { Questions } from './questions.js';

export type ConfirmRequest = {
  /** A kind without additional fields. */
  readonly about: Exclude<NonNullable<PermissionQuestion['about']>, 'elicitation' | 'plan' | 'questions'>;
  /** The text of the question. */
  readonly reason: string;
  /** Its subject, as a call that would do it. */
  readonly call: NamedInput;
};

/** `nobody`: there was nobody to ask, or the question was withdrawn. */
export type Confirmation = 'yes' | 'no' | 'nobody';

export async function confirm(
  questions: Questions,
  request: ConfirmRequest & { readonly id: string },
  requester: Requester,
  signal: AbortSignal,
): Promise<Confirmation> {
  const { id, about, reason, call } = request;
  const question: PermissionQuestion = {
    id,
    about,
    agent: { id: requester.id, type: requester.type, depth: requester.depth },
    call: { id: about, ...call },
    cwd: requester.cwd,
    reason,
    destroys: [],
    offers: [],
  };
  const settlement = await questions.ask(question, requester, signal);
  if (settlement.kind !== 'answered') return 'nobody';
  return settlement.answer.behavior === 'allow' ? 'yes' : 'no';
}
