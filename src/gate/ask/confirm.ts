/** A question to the person that is not about a call. */

import type { PermissionQuestion } from '../../protocol/permission.js';
import { namedInput } from '../../protocol/tool-inputs.js';
import type { Asker } from '../asker.js';
import type { Questions } from './questions.js';

export type ConfirmRequest = {
  readonly about: 'memory-snapshot';
  /** The question in words. */
  readonly reason: string;
  /** The kind of agent it is about. */
  readonly subject: string;
  readonly folder: string;
};

/** `nobody`: there was nobody to ask, or the question was taken back. */
export type Confirmation = 'yes' | 'no' | 'nobody';

export async function confirm(
  questions: Questions,
  request: ConfirmRequest & { readonly id: string },
  asker: Asker,
  signal: AbortSignal,
): Promise<Confirmation> {
  const { id, about, reason, subject, folder } = request;
  const question: PermissionQuestion = {
    id,
    about,
    agent: { id: asker.id, type: asker.type, depth: asker.depth },
    call: { id: about, ...namedInput('Agent', { subagent_type: subject, memory: folder }) },
    cwd: asker.cwd,
    reason,
    destroys: [],
    offers: [],
  };
  const settlement = await questions.ask(question, asker, signal);
  if (settlement.kind !== 'answered') return 'nobody';
  return settlement.answer.behavior === 'allow' ? 'yes' : 'no';
}
