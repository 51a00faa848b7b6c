/** Questions with options: describes them and parses what is typed (EX-16). */

import { escapeToLine } from '../../protocol/escape-controls.js';
import { plural } from '../../protocol/format-numbers.js';
import type { PermissionAnswer } from '../../protocol/permission.js';
import type { Result } from '../../protocol/result.js';
import type { UserQuestion } from '../../protocol/tools/ask-user-question.js';
import { type QuestionLine, quote } from './question-lines.js';

const MAX_PREVIEW_LINES = 60;

/** Describes the question, then its options with numbers from 1. */
export function describeOptions(asked: UserQuestion): readonly QuestionLine[] {
  return [
    ...describeAsked(asked),
    ...asked.options.flatMap((option, index): readonly QuestionLine[] => [
      { kind: 'input', text: `  ${index + 1}  ${describeOption(option)}` },
      ...describePreview(option.preview),
    ]),
  ];
}

/** Describes the question alone. */
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

/** Numbers choose options; anything else is a free-text answer, verbatim. `=5` is a number as free text. */
export function readChoice({ options, multiSelect }: UserQuestion, typed: string): ReadChoice {
  if (/^=\s*\S/.test(typed)) return { ok: true, answer: typed.slice(1).trim() };
  if (!/^\d+(?:\s*,\s*\d+)*,?$/.test(typed)) return { ok: true, answer: typed };
  const numbers = [...new Set(typed.split(',').flatMap((part) => (part.trim() === '' ? [] : [Number(part)])))];
  const labels = numbers.flatMap((number) => options[number - 1]?.label ?? []);
  if (labels.length < numbers.length)
    return {
      ok: false,
      reason: `Choose 1 to ${options.length}; write =5 to answer with a number.`,
    };
  if (labels.length > 1 && multiSelect !== true) return { ok: false, reason: 'Choose only one.' };
  return { ok: true, answer: joinLabels(labels) };
}

export function joinLabels(labels: readonly string[]): string {
  return labels.join(', ');
}

/** Answers by question; skipped ones are absent. None at all is a refusal. */
export function answerOptions(answers: ReadonlyMap<string, string>): PermissionAnswer {
  if (answers.size === 0) return { behavior: 'deny' };
  return { behavior: 'allow', updatedInput: { answers: Object.fromEntries(answers) } };
}
