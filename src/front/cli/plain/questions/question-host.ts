/** The terminal in which questions are asked, and how their lines are shown. */

import type { PermissionAnswer } from '../../../../protocol/permission.js';
import type { QuestionChoice } from '../../../questions/question-description.js';
import type { QuestionLine } from '../../../questions/question-lines.js';
import type { Paint } from '../../../view/paint.js';
import type { LineInput } from '../line-input.js';
import type { Screen } from '../screen.js';

export type QuestionHost = {
  readonly screen: Screen;
  readonly input: LineInput;
  readonly paint: Paint;
  /** Resolves when everything before the question is shown. */
  settled(): Promise<void>;
  /** Runs a command: users may inspect things before they answer. */
  command(line: string): Promise<void>;
};

export const WITHDRAWN: PermissionAnswer = { behavior: 'deny', reason: 'the question was withdrawn' };

export const NOT_A_CHOICE = 'That is not one of the choices.';

export function show({ screen, paint }: Pick<QuestionHost, 'screen' | 'paint'>, lines: readonly QuestionLine[]): void {
  for (const { kind, text } of lines) screen.line(paintLine(paint, kind)(text));
}

function paintLine(paint: Paint, kind: QuestionLine['kind']): (text: string) => string {
  switch (kind) {
    case 'title':
      return paint.bold;
    case 'danger':
    case 'removed':
      return paint.bad;
    case 'added':
      return paint.good;
    case 'detail':
      return paint.dim;
    case 'input':
      return (text) => text;
    default:
      return kind satisfies never;
  }
}

export function listChoices(choices: readonly Pick<QuestionChoice, 'words' | 'label'>[]): readonly string[] {
  return choices.flatMap(({ words: [word] = [], label }) =>
    word === undefined ? [] : [`  ${word.padEnd(2)} ${label}`],
  );
}

/** Nobody can answer any more: the question was withdrawn, or the input has ended. */
export function cannotAnswer({ screen, paint }: QuestionHost, signal: AbortSignal): PermissionAnswer {
  if (signal.aborted) {
    screen.line(paint.warn('(the question was withdrawn)'));
    return WITHDRAWN;
  }
  screen.line('(denied: the input has ended)');
  return { behavior: 'deny', reason: 'the input has ended, so nobody can answer' };
}
