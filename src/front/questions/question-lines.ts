/** The text of a question: lines with their meaning, not yet painted. Text from outside is behind a margin (GT-11). */

import { escapeControls } from '../../protocol/escape-controls.js';
import { plural } from '../../protocol/format-numbers.js';

export type QuestionLine = {
  readonly kind: 'title' | 'detail' | 'input' | 'added' | 'removed' | 'danger';
  readonly text: string;
};

/** A question in the few rows of the terminal. Control characters are escaped; nothing is painted yet. */
export type QuestionText = {
  /** Who asks. */
  readonly head: string;
  /** The tool, and its input where that is a single line. */
  readonly call?: { readonly tool: string; readonly input?: string };
  readonly details: readonly QuestionLine[];
  /** The input, if it is longer. */
  readonly lines: readonly QuestionLine[];
  /** What would be destroyed: stays in sight. */
  readonly marks: readonly string[];
};

/** Precedes every line from outside, so that none can look like one of ours. */
export const MARGIN = '  | ';
/** Long contents (never commands) are cut here; the whole is shown on request. */
const MAX_LINES = 60;
const SHOWS_WHOLE = '(w shows the whole)';

export function quote(text: string, margin = MARGIN): readonly QuestionLine[] {
  return escapeControls(text)
    .split('\n')
    .map((line) => ({ kind: 'input', text: `${margin}${line}` }));
}

export function bound(lines: readonly QuestionLine[], whole: boolean): readonly QuestionLine[] {
  if (whole || lines.length <= MAX_LINES) return lines;
  const left = lines.length - MAX_LINES;
  return [...lines.slice(0, MAX_LINES), { kind: 'detail', text: `  … ${plural(left, 'more line')} ${SHOWS_WHOLE}` }];
}

/** True if something was cut. */
export function isCut(lines: readonly QuestionLine[]): boolean {
  return lines.some(({ kind, text }) => kind === 'detail' && text.endsWith(SHOWS_WHOLE));
}
