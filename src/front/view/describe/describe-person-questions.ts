/** Questions of the model to the person, in words. What it wrote stands behind a margin: no line of it looks like ours. */

import { makeVisible, makeVisibleLine } from '../../../protocol/make-visible.js';
import type { PersonQuestion } from '../../../protocol/tool-inputs.js';
import type { QuestionLine } from './question-line.js';

const MARGIN = '  | ';
const MAX_PREVIEW_LINES = 60;

export function describePersonQuestions(questions: readonly PersonQuestion[]): readonly QuestionLine[] {
  return questions.flatMap((question) => [...describePersonQuestion(question)]);
}

/** The question, then its options with numbers from 1. */
export function describePersonQuestion(asked: PersonQuestion): readonly QuestionLine[] {
  const { options } = asked;
  return [
    ...describeAsked(asked),
    ...options.flatMap(({ label, description, preview }, index): readonly QuestionLine[] => [
      { kind: 'input', text: `  ${index + 1}  ${makeVisibleLine(label)}${described(description)}` },
      ...(preview === undefined || preview.trim() === '' ? [] : describePreview(preview)),
    ]),
  ];
}

/** The question alone. */
export function describeAsked({ question, header }: PersonQuestion): readonly QuestionLine[] {
  return behindMargin(`${header}: ${question}`);
}

function described(description: string): string {
  return description.trim() === '' ? '' : `: ${makeVisibleLine(description)}`;
}

export function describePreview(preview: string): readonly QuestionLine[] {
  const lines = behindMargin(preview.replace(/\n+$/, ''), '     | ');
  if (lines.length <= MAX_PREVIEW_LINES) return lines;
  const left = lines.length - MAX_PREVIEW_LINES;
  return [...lines.slice(0, MAX_PREVIEW_LINES), { kind: 'detail', text: `     … ${left} more lines` }];
}

function behindMargin(text: string, margin = MARGIN): readonly QuestionLine[] {
  return makeVisible(text)
    .split('\n')
    .map((line): QuestionLine => ({ kind: 'input', text: `${margin}${line}` }));
}
