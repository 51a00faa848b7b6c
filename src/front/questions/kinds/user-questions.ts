/** Describes questions of the model, answered with options or free text (EX-16). */

import { escapeToLine } from '../../../protocol/escape-controls.js';
import type { UserQuestionsQuestion } from '../../../protocol/permission.js';
import { fullName, headOf } from '../name-requester.js';
import type { QuestionDescription } from '../question-description.js';
import type { QuestionLine } from '../question-lines.js';

export function describeUserQuestions({ agent, questions }: UserQuestionsQuestion): QuestionDescription {
  const asks = `asks you ${questions.length === 1 ? 'a question' : `${questions.length} questions`}`;
  const details: readonly QuestionLine[] =
    agent.task === undefined ? [] : [{ kind: 'detail', text: `  for: ${escapeToLine(agent.task)}` }];
  return {
    form: 'options',
    call: 'asks',
    isShared: true,
    does: 'has a question',
    wants: 'asks you something',
    asked: questions,
    // Each question is shown in turn.
    lines: async () => [{ kind: 'title', text: `${fullName(agent)} ${asks}` }, ...details],
    text: (listed, { step }) => ({
      head: headOf(listed, step === undefined ? 'asks you' : `asks you: ${step}`),
      details,
      lines: [],
      marks: [],
    }),
  };
}
