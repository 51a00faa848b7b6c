/** Asks questions with options at the terminal, one after another: numbers, or free text (EX-16). */

import type { PermissionAnswer } from '../../../../protocol/permission.js';
import type { UserQuestion } from '../../../../protocol/tools/ask-user-question.js';
import { isCommand } from '../../../commands/is-command.js';
import { answerOptions, describeOptions, readChoice } from '../../../questions/options.js';
import type { OptionsQuestion } from '../../../questions/question-description.js';
import { cannotAnswer, type QuestionHost, show, WITHDRAWN } from './question-host.js';

export async function putOptions(
  terminal: QuestionHost,
  { asked, lines }: OptionsQuestion,
  signal: AbortSignal,
): Promise<PermissionAnswer> {
  const { screen } = terminal;
  const shown = await lines();
  if (signal.aborted) return WITHDRAWN;
  show(terminal, shown);
  const answers = new Map<string, string>();
  for (const [index, question] of asked.entries()) {
    if (asked.length > 1) screen.line(`Question ${index + 1} of ${asked.length}`);
    const answer = await putOne(terminal, question, asked.length > 1, signal);
    if (answer === undefined) return cannotAnswer(terminal, signal);
    if (answer === '') {
      screen.line('(not answered)');
      return { behavior: 'deny' };
    }
    if (answer !== SKIPPED) answers.set(question.question, answer);
  }
  return answerOptions(answers);
}

const SKIPPED = '-';

/** Undefined: nobody can answer. Empty: no answer. */
async function putOne(
  terminal: QuestionHost,
  question: UserQuestion,
  canSkip: boolean,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { screen, input } = terminal;
  const ways = [
    question.multiSelect === true
      ? 'Numbers separated by commas, or your own answer.'
      : 'A number, or your own answer.',
    ...(canSkip ? [`${SKIPPED} skips this question.`] : []),
    'Enter: no answer.',
  ];
  show(terminal, describeOptions(question));
  for (;;) {
    screen.line(`  (${ways.join(' ')})`);
    const line = await input.read({ prompt: '? ', question: true, signal });
    if (line === undefined || signal.aborted) return undefined;
    if (isCommand(line)) {
      await terminal.command(line);
      await terminal.settled();
      if (signal.aborted) return undefined;
      show(terminal, describeOptions(question));
      continue;
    }
    const read = readChoice(question, line.trim());
    if (read.ok) return read.answer;
    screen.line(read.reason);
  }
}
