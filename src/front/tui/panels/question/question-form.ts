/** A question as it is put: what it shows, which keys choose, what a choice leads to. One for each kind of question. */

import type { PermissionAnswer, PermissionQuestion } from '../../../../protocol/permission.js';
import type { QuestionText } from '../../parts/question-rows.js';
import type { LineField } from './line-field.js';

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
  readonly line: LineField;
  readonly hints: readonly string[];
  readonly warning?: string;
  /** Enter. */
  readonly submit: (text: string) => void;
  /** Esc: back to the choices. */
  readonly leave: () => void;
};

/** Those that ask, oldest first. */
export type Listed = readonly [PermissionQuestion, ...PermissionQuestion[]];

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
  /** Prints a plan into the history. */
  onPlan(text: string): void;
};

/** The caller does this for each kind that can be given a reason. */
export function reasonField(line: LineField, submit: (text: string) => void, leave: () => void): OpenField {
  return { label: 'because', line, hints: ['enter says no', 'esc back'], submit, leave };
}
