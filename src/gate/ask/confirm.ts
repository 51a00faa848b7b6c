/** A question to the person that is not about a call. */

import type { PermissionQuestion } from '../../protocol/permission.js';
import type { NamedInput } from '../../protocol/tools/built-in-tools.js';
import type { Requester } from '../requester.js';
import type { Questions } from './questions.js';

export type ConfirmRequest = {
  /** A kind without fields of its own. */
  readonly about: Exclude<NonNullable<PermissionQuestion['about']>, 'elicitation' | 'plan' | 'questions'>;
  /** The question in words. */
  readonly reason: string;
  /** What it is about, as a call that would do it. */
  readonly call: NamedInput;
};

/** `nobody`: there was nobody to ask, or the question was taken back. */
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
