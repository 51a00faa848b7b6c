/** Puts questions of the model at the terminal, one after the other: numbers, or the person's own words (EX-16). */

import type { PermissionAnswer, PermissionQuestion } from '../../../../protocol/permission.js';
import type { UserQuestion } from '../../../../protocol/tools/ask-user-question.js';
import { isCommand } from '../../../commands/is-command.js';
import { answerQuestions, readChoice } from '../../../questions/person-answers.js';
import { describePersonQuestion } from '../../../view/describe/describe-person-questions.js';
import { whoWants } from '../../../view/describe/describe-question.js';
import { cannotAnswer, type QuestionHost, show, TAKEN_BACK } from './question-host.js';

export async function putQuestions(
  terminal: QuestionHost,
  { agent }: PermissionQuestion,
  questions: readonly UserQuestion[],
  signal: AbortSignal,
): Promise<PermissionAnswer> {
  const { screen } = terminal;
  if (signal.aborted) return TAKEN_BACK;
  show(terminal, whoWants(agent, questions.length));
  const answers = new Map<string, string>();
  for (const [index, question] of questions.entries()) {
    if (questions.length > 1) screen.line(`Question ${index + 1} of ${questions.length}`);
    const answer = await putOne(terminal, question, questions.length > 1, signal);
    if (answer === undefined) return cannotAnswer(terminal, signal);
    if (answer === '') {
      screen.line('(not answered)');
      return { behavior: 'deny' };
    }
    if (answer !== SKIPPED) answers.set(question.question, answer);
  }
  return answerQuestions(answers);
}

const SKIPPED = '-';

/** Undefined: nobody can answer. Empty: none of them is answered. */
async function putOne(
  terminal: QuestionHost,
  question: UserQuestion,
  canSkip: boolean,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { screen, input } = terminal;
  const ways = [
    question.multiSelect === true ? 'Numbers with a comma between, or your own words.' : 'A number, or your own words.',
    ...(canSkip ? [`${SKIPPED} for no answer to this one.`] : []),
    'Enter alone: no answer.',
  ];
  show(terminal, describePersonQuestion(question));
  for (;;) {
    screen.line(`  (${ways.join(' ')})`);
    const line = await input.read({ prompt: '? ', question: true, signal });
    if (line === undefined || signal.aborted) return undefined;
    if (isCommand(line)) {
      await terminal.command(line);
      await terminal.settled();
      if (signal.aborted) return undefined;
      show(terminal, describePersonQuestion(question));
      continue;
    }
    const read = readChoice(question, line.trim());
    if (read.ok) return read.answer;
    screen.line(read.reason);
  }
}
