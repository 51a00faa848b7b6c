/** What a person says to questions of the model (EX-16). */

import type { PermissionAnswer } from '../../protocol/permission.js';
import type { UserQuestion } from '../../protocol/tools/ask-user-question.js';

type Choice = { readonly ok: true; readonly answer: string } | { readonly ok: false; readonly reason: string };

/** Only numbers choose: everything else is the person's own answer, as they wrote it. `=5` is a number of their own. */
export function readChoice({ options, multiSelect }: UserQuestion, said: string): Choice {
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
  return { ok: true, answer: joinLabels(labels) };
}

export function joinLabels(labels: readonly string[]): string {
  return labels.join(', ');
}

/** By question, those left out not among them. None at all is no answer. */
export function answerQuestions(answers: ReadonlyMap<string, string>): PermissionAnswer {
  if (answers.size === 0) return { behavior: 'deny' };
  return { behavior: 'allow', updatedInput: { answers: Object.fromEntries(answers) } };
}
