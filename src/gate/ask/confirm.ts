/** A question to the person that is not about a call. */

import type { PermissionQuestion } from '../../protocol/permission.js';
import { namedInput } from '../../protocol/tools/built-in-tools.js';
import type { Requester } from '../requester.js';
import type { Questions } from './questions.js';

export type ConfirmRequest = {
  readonly about: 'memory-snapshot' | 'skill-grants';
  /** The question in words. */
  readonly reason: string;
  /** The kind of agent, or the skill, that it is about. */
  readonly subject: string;
  readonly folder: string;
};

/** `nobody`: there was nobody to ask, or the question was taken back. */
export type Confirmation = 'yes' | 'no' | 'nobody';

function subjectOf({ about, subject, folder }: ConfirmRequest) {
  if (about === 'skill-grants') return namedInput('Skill', { skill: subject });
  return namedInput('Agent', { subagent_type: subject, memory: folder });
}

export async function confirm(
  questions: Questions,
  request: ConfirmRequest & { readonly id: string },
  requester: Requester,
  signal: AbortSignal,
): Promise<Confirmation> {
  const { id, about, reason } = request;
  const question: PermissionQuestion = {
    id,
    about,
    agent: { id: requester.id, type: requester.type, depth: requester.depth },
    call: { id: about, ...subjectOf(request) },
    cwd: requester.cwd,
    reason,
    destroys: [],
    offers: [],
  };
  const settlement = await questions.ask(question, requester, signal);
  if (settlement.kind !== 'answered') return 'nobody';
  return settlement.answer.behavior === 'allow' ? 'yes' : 'no';
}
