/** Puts questions of the model at the terminal, one after the other: numbers, or the person's own words (EX-16). */

import type { PermissionAnswer, PermissionQuestion } from '../../../../protocol/permission.js';
import type { PersonQuestion } from '../../../../protocol/tool-inputs.js';
import { isCommand } from '../../../commands/is-command.js';
import { describePersonQuestion } from '../../../view/describe/describe-person-questions.js';
import { whoWants } from '../../../view/describe/describe-question.js';
import { cannotAnswer, type Desk, show, TAKEN_BACK } from './desk.js';

export async function putQuestions(
  desk: Desk,
  { agent }: PermissionQuestion,
  questions: readonly PersonQuestion[],
  signal: AbortSignal,
): Promise<PermissionAnswer> {
  const { screen } = desk;
  if (signal.aborted) return TAKEN_BACK;
  show(desk, whoWants(agent, questions.length));
  const answers: [string, string][] = [];
  for (const [index, question] of questions.entries()) {
    if (questions.length > 1) screen.line(`Question ${index + 1} of ${questions.length}`);
    const answer = await putOne(desk, question, questions.length > 1, signal);
    if (answer === undefined) return cannotAnswer(desk, signal);
    if (answer === '') {
      screen.line('(not answered)');
      return { behavior: 'deny' };
    }
    if (answer !== SKIPPED) answers.push([question.question, answer]);
  }
  if (answers.length === 0) return { behavior: 'deny' };
  return { behavior: 'allow', updatedInput: { answers: Object.fromEntries(answers) } };
}

const SKIPPED = '-';

/** Undefined: nobody can answer. Empty: none of them is answered. */
async function putOne(
  desk: Desk,
  question: PersonQuestion,
  canSkip: boolean,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { screen, input } = desk;
  const ways = [
    question.multiSelect === true ? 'Numbers with a comma between, or your own words.' : 'A number, or your own words.',
    ...(canSkip ? [`${SKIPPED} for no answer to this one.`] : []),
    'Enter alone: no answer.',
  ];
  show(desk, describePersonQuestion(question));
  for (;;) {
    screen.line(`  (${ways.join(' ')})`);
    const line = await input.read({ prompt: '? ', question: true, signal });
    if (line === undefined || signal.aborted) return undefined;
    if (isCommand(line)) {
      await desk.command(line);
      await desk.settled();
      if (signal.aborted) return undefined;
      show(desk, describePersonQuestion(question));
      continue;
    }
    const read = readChoice(question, line.trim());
    if (read.ok) return read.answer;
    screen.line(read.reason);
  }
}

type Choice = { readonly ok: true; readonly answer: string } | { readonly ok: false; readonly reason: string };

/** Only numbers choose: everything else is the person's own answer, as they wrote it. `=5` is a number of their own. */
export function readChoice({ options, multiSelect }: PersonQuestion, said: string): Choice {
  if (/^=\s*\S/.test(said)) return { ok: true, answer: said.slice(1).trim() };
  if (!/^\d+(?:\s*,\s*\d+)*,?$/.test(said)) return { ok: true, answer: said };
  const numbers = [...new Set(said.split(',').flatMap((part) => (part.trim() === '' ? [] : [Number(part)])))];
  const labels = numbers.flatMap((number) => options[number - 1]?.label ?? []);
  if (labels.length < numbers.length)
    return {
      ok: false,
      reason: `The options have the numbers 1 to ${options.length}; write =5 for a number of your own.`,
    };
  if (labels.length > 1 && multiSelect !== true) return { ok: false, reason: 'Only one can be chosen.' };
  return { ok: true, answer: labels.join(', ') };
}
