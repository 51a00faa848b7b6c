/** Questions with options to pick from: how one is shown, how what is typed becomes an answer (EX-16). */

import { escapeToLine } from '../../protocol/escape-controls.js';
import { plural } from '../../protocol/format-numbers.js';
import type { PermissionAnswer } from '../../protocol/permission.js';
import type { Result } from '../../protocol/result.js';
import type { UserQuestion } from '../../protocol/tools/ask-user-question.js';
import { type QuestionLine, quote } from './question-lines.js';

const MAX_PREVIEW_LINES = 60;

/** The question, then its options with numbers from 1. */
export function describeOptions(asked: UserQuestion): readonly QuestionLine[] {
  return [
    ...describeAsked(asked),
    ...asked.options.flatMap((option, index): readonly QuestionLine[] => [
      { kind: 'input', text: `  ${index + 1}  ${describeOption(option)}` },
      ...describePreview(option.preview),
    ]),
  ];
}

/** The question alone. */
export function describeAsked({ question, header }: UserQuestion): readonly QuestionLine[] {
  return quote(`${header}: ${question}`);
}

export function describeOption({ label, description }: UserQuestion['options'][number]): string {
  return `${escapeToLine(label)}${description.trim() === '' ? '' : `: ${escapeToLine(description)}`}`;
}

export function describePreview(preview: string | undefined): readonly QuestionLine[] {
  if (preview === undefined || preview.trim() === '') return [];
  const lines = quote(preview.replace(/\n+$/, ''), '     | ');
  if (lines.length <= MAX_PREVIEW_LINES) return lines;
  const left = lines.length - MAX_PREVIEW_LINES;
  return [...lines.slice(0, MAX_PREVIEW_LINES), { kind: 'detail', text: `     … ${plural(left, 'more line')}` }];
}

type ReadChoice = Result<{ readonly answer: string }>;

/** Only numbers choose: everything else is one's own answer, as it was written. `=5` is a number of one's own. */
export function readChoice({ options, multiSelect }: UserQuestion, said: string): ReadChoice {
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

/** By question; those that were skipped are left out. None at all is no answer. */
export function answerOptions(answers: ReadonlyMap<string, string>): PermissionAnswer {
  if (answers.size === 0) return { behavior: 'deny' };
  return { behavior: 'allow', updatedInput: { answers: Object.fromEntries(answers) } };
}
