/** The text of a question: lines with a meaning, not yet styled. Untrusted text is behind a margin (GT-11). */

import { escapeControls } from '../../protocol/escape-controls.js';
import { plural } from '../../protocol/format-numbers.js';

export type QuestionLine = {
  readonly kind: 'title' | 'detail' | 'input' | 'added' | 'removed' | 'danger';
  readonly text: string;
};

/** A question for the few rows of the terminal. Control characters are escaped; nothing is styled yet. */
export type QuestionText = {
  /** The requester, and what it asks. */
  readonly head: string;
  /** The tool, and its input if that is a single line. */
  readonly call?: { readonly tool: string; readonly input?: string };
  readonly details: readonly QuestionLine[];
  /** The input, if it is longer. */
  readonly lines: readonly QuestionLine[];
  /** Destructive effects; always visible. */
  readonly marks: readonly string[];
};

/** Precedes every untrusted line, so that none can imitate the interface. */
export const MARGIN = '  | ';
/** Longer contents (never commands) are cut; the rest is shown on request. */
const MAX_LINES = 60;
const SHOWS_WHOLE = '(w shows all)';

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
