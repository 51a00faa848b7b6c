/** Puts questions at the terminal, one at a time: the next is shown once the last is settled. */

import type { AskPermission, PermissionAnswer, PermissionQuestion } from '../../../protocol/permission.js';
import { describeQuestion } from '../../questions/question-kinds.js';
import { putChoices } from './questions/put-choices.js';
import { putOptions } from './questions/put-options.js';
import type { QuestionHost } from './questions/question-host.js';

export function askAtTerminal(terminal: QuestionHost): AskPermission {
  let last: Promise<unknown> = Promise.resolve();
  return (question, signal) => {
    const answer = last.then(() => putQuestion(terminal, question, signal));
    last = answer.catch(() => {});
    return answer;
  };
}

/** By how it is answered. */
async function putQuestion(
  terminal: QuestionHost,
  asked: PermissionQuestion,
  signal: AbortSignal,
): Promise<PermissionAnswer> {
  await terminal.settled();
  const question = describeQuestion(asked);
  switch (question.form) {
    case 'choose':
    case 'fields':
      return putChoices(terminal, question, asked.alike ?? 0, signal);
    case 'options':
      return putOptions(terminal, question, signal);
    default:
      return question satisfies never;
  }
}
