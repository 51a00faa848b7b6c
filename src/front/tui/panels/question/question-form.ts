/** The form of a question: its text, its keys, the effect of a choice. One class for each way of answering. */

import type { PermissionAnswer } from '../../../../protocol/permission.js';
import type { Listed, QuestionChoice } from '../../../questions/question-description.js';
import type { QuestionText } from '../../../questions/question-lines.js';
import type { LineEditor } from '../../input/line-editor.js';

export type Choice = {
  /** Names of keys; the first is shown. */
  readonly keys: readonly string[];
  /** Escaped. */
  readonly text: string;
  /** Answers nothing on its own, so it never needs Enter after it. */
  readonly isStep?: true;
  readonly pick: () => void;
  /** The effect of Enter, if different. */
  readonly enter?: () => void;
};

/** A line to write before something is answered. */
export type OpenField = {
  readonly label: string;
  readonly line: LineEditor;
  readonly hints: readonly string[];
  readonly warning?: string;
  /** Enter. */
  readonly submit: (text: string) => void;
  /** Esc: back to the choices. */
  readonly leave: () => void;
};

export interface QuestionForm {
  /** False: its text is still being made. */
  readonly isReady: boolean;
  /** The same object while nothing changes. */
  text(listed: Listed): QuestionText;
  choices(listed: Listed): readonly Choice[];
  /** One choice per row. */
  readonly isList: boolean;
  /** Index of the choice highlighted first. Undefined: none. */
  readonly preset: number | undefined;
  /** A choice needs Enter after it. */
  readonly needsEnter: boolean;
  readonly hints: readonly string[];
  readonly field: OpenField | undefined;
  /** The answer applies to this question alone. */
  readonly only: string | undefined;
  /** It is on the screen for the first time. */
  appeared?(): void;
  /** Another choice is highlighted. */
  highlighted?(index: number | undefined): void;
}

/** The services for a form. */
export type FormHost = {
  /** Answers the question, or all that are listed; the form is done. */
  give(answer: PermissionAnswer): void;
  /** The form changed. `highlight`: the choice to highlight. */
  changed(highlight?: { readonly at: number | undefined }): void;
  /** Opens the user's editor; undefined: unchanged. */
  editText(text: string): Promise<string | undefined>;
  /** Prints a document, such as a plan, into the history. */
  onDocument(text: string): void;
};

const ORDER = ['1', '2', 'l', '3', '4', '5', '6', '7', '8', '9'];

/** Sorts choices that have a key: numbers first, then the given order. */
export function inKeyOrder<C extends Pick<QuestionChoice, 'keys'>>(choices: readonly C[]): readonly C[] {
  const place = ({ keys: [key = ''] = [] }: C) => (ORDER.includes(key) ? ORDER.indexOf(key) : ORDER.length);
  return choices.filter(({ keys }) => keys !== undefined).toSorted((a, b) => place(a) - place(b));
}
