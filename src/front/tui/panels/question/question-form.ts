/** A question as it is put: what it shows, which keys choose, what a choice leads to. One class for each form of answering. */

import type { PermissionAnswer } from '../../../../protocol/permission.js';
import type { Listed, QuestionChoice } from '../../../questions/question-description.js';
import type { QuestionText } from '../../../questions/question-lines.js';
import type { LineEditor } from '../../input/line-editor.js';

export type Choice = {
  /** Names of keys; the first is shown. */
  readonly keys: readonly string[];
  /** Made visible. */
  readonly text: string;
  /** It answers nothing by itself: where a choice needs Enter after it, this one does not. */
  readonly isStep?: true;
  readonly pick: () => void;
  /** What Enter does on it, if not the same. */
  readonly enter?: () => void;
};

/** A line that is written before something is answered. */
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
  /** The same object as long as nothing changed. */
  text(listed: Listed): QuestionText;
  choices(listed: Listed): readonly Choice[];
  /** Choices stand one under the other. */
  readonly isList: boolean;
  /** Highlighted at first: the number of a choice. Undefined: none. */
  readonly preset: number | undefined;
  /** A choice needs Enter after it. */
  readonly needsEnter: boolean;
  readonly hints: readonly string[];
  readonly field: OpenField | undefined;
  /** The answer goes to this question alone. */
  readonly only: string | undefined;
  /** It is on the screen, for the first time. */
  appeared?(): void;
  /** Another choice is highlighted. */
  highlighted?(index: number | undefined): void;
}

/** What a form does to the world. */
export type FormHost = {
  /** Answers the question, or all that are listed; the form is done. */
  give(answer: PermissionAnswer): void;
  /** It looks different now. `highlight`: this choice is highlighted. */
  changed(highlight?: { readonly at: number | undefined }): void;
  /** In the person's editor; undefined: it stays as it was. */
  editText(text: string): Promise<string | undefined>;
  /** Prints a document, such as a plan, into the history. */
  onDocument(text: string): void;
};

const ORDER = ['1', '2', 'l', '3', '4', '5', '6', '7', '8', '9'];

/** Those that have a key, as fingers find them: numbers first, the rest as it comes. */
export function inKeyOrder<C extends Pick<QuestionChoice, 'keys'>>(choices: readonly C[]): readonly C[] {
  const place = ({ keys: [key = ''] = [] }: C) => (ORDER.includes(key) ? ORDER.indexOf(key) : ORDER.length);
  return choices.filter(({ keys }) => keys !== undefined).toSorted((a, b) => place(a) - place(b));
}
