/** Questions of the model to the person, in words. What it wrote stands behind a margin: no line of it looks like ours. */

import { escapeControls, escapeToLine } from '../../../protocol/escape-controls.js';
import type { UserQuestion } from '../../../protocol/tools/ask-user-question.js';
import type { QuestionLine } from './question-line.js';

const MARGIN = '  | ';
const MAX_PREVIEW_LINES = 60;

export function describePersonQuestions(questions: readonly UserQuestion[]): readonly QuestionLine[] {
  return questions.flatMap((question) => [...describePersonQuestion(question)]);
}

/** The question, then its options with numbers from 1. */
export function describePersonQuestion(asked: UserQuestion): readonly QuestionLine[] {
  const { options } = asked;
  return [
    ...describeAsked(asked),
    ...options.flatMap(({ label, description, preview }, index): readonly QuestionLine[] => [
      { kind: 'input', text: `  ${index + 1}  ${escapeToLine(label)}${described(description)}` },
      ...(preview === undefined || preview.trim() === '' ? [] : describePreview(preview)),
    ]),
  ];
}

/** The question alone. */
export function describeAsked({ question, header }: UserQuestion): readonly QuestionLine[] {
  return behindMargin(`${header}: ${question}`);
}

function described(description: string): string {
  return description.trim() === '' ? '' : `: ${escapeToLine(description)}`;
}

export function describePreview(preview: string): readonly QuestionLine[] {
  const lines = behindMargin(preview.replace(/\n+$/, ''), '     | ');
  if (lines.length <= MAX_PREVIEW_LINES) return lines;
  const left = lines.length - MAX_PREVIEW_LINES;
  return [...lines.slice(0, MAX_PREVIEW_LINES), { kind: 'detail', text: `     … ${left} more lines` }];
}

function behindMargin(text: string, margin = MARGIN): readonly QuestionLine[] {
  return escapeControls(text)
    .split('\n')
    .map((line): QuestionLine => ({ kind: 'input', text: `${margin}${line}` }));
}
