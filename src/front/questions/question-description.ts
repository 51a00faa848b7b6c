/**
 * A question as every surface renders it. One function per kind makes it (kinds/); a surface knows only the form of
 * answering: choose one, fill in fields, pick options. Texts of one choice differ between surfaces with the room they have.
 */

import type { ElicitationForm } from '../../protocol/mcp/elicitation-form.js';
import type { PermissionAnswer, PermissionQuestion } from '../../protocol/permission.js';
import type { UserQuestion } from '../../protocol/tools/ask-user-question.js';
import type { QuestionLine, QuestionText } from './question-lines.js';

/** Those that ask the same, oldest first. */
export type Listed = readonly [PermissionQuestion, ...PermissionQuestion[]];

export type QuestionDescription = ChoiceQuestion | FieldsQuestion | OptionsQuestion;

type Shown = {
  /**
   * The part of its call. `judged`: the question is whether it may run. `asks`: the call itself is the question, so a person
   * has to answer. `none`: there is no such call; in an editor the question has an entry of its own.
   */
  readonly call: 'judged' | 'asks' | 'none';
  /** The title of that entry. */
  readonly title?: string;
  /** Several agents with the same question are answered together (TU-14). */
  readonly isShared?: true;
  /** What the requester does, after its name: `has a plan`. */
  readonly does: string;
  /** The same for a program that shows it, if it is not the reason that says it. */
  readonly wants?: string;
  /** All of it, for a surface with room for it; long contents are cut unless `whole`. */
  lines(whole?: boolean): Promise<readonly QuestionLine[]>;
  /** In the rows of the terminal. */
  text(listed: Listed, view: TextView): QuestionText;
};

export type TextView = {
  /** The answer is for this one alone: the id of a question. */
  readonly only?: string | undefined;
  /** `2 of 3`, if it is asked in several steps. */
  readonly step?: string | undefined;
  /** Once it is described. */
  readonly input?: readonly QuestionLine[] | undefined;
};

/** One of the choices is the answer, or leads to it. */
export type ChoiceQuestion = Shown & {
  readonly form: 'choose';
  /** Precedes the choices, where they are read as a text. */
  readonly ask?: string;
  choices(): readonly QuestionChoice<AnswerEffect | WriteEffect | EditEffect>[];
  /** The choices are long: one under the other. */
  readonly isList?: true;
  /** No choice is preselected. Otherwise the plain yes is. */
  readonly isOpen?: true;
  /** Describes what takes time to describe: it is waited for. */
  readonly input?: () => Promise<readonly QuestionLine[]>;
  /** A text to read before the answer, and to change. */
  readonly document?: QuestionDocument;
};

export type QuestionDocument = {
  /** What it is: `plan`. */
  readonly name: string;
  readonly text: string;
  readonly file: string;
  /** The question about the text as it was changed. */
  readonly change: (text: string) => ChoiceQuestion;
};

export type Form = ElicitationForm & { readonly mode: 'form' };

/** A yes leads to fields, one after another; all of it is shown before anything is sent. */
export type FieldsQuestion = Shown & {
  readonly form: 'fields';
  readonly asked: ElicitationForm;
  choices(): readonly QuestionChoice<AnswerEffect | FillEffect>[];
};

/** Each of them is answered with options, or in one's own words. */
export type OptionsQuestion = Shown & { readonly form: 'options'; readonly asked: readonly UserQuestion[] };

export type QuestionChoice<Effect = AnswerEffect> = {
  /** Typed as a line; the first one is shown. Absent: not offered there. */
  readonly words?: readonly string[];
  readonly label: string;
  /** Pressed in the terminal; the first one is shown. Absent: not offered there. */
  readonly keys?: readonly string[];
  /** In place of the label, where there is little room. */
  readonly short?: string;
  /** In an editor. Absent: not offered there. */
  readonly button?: { readonly id: string; readonly name: string };
  readonly effect: Effect;
};

export type AnswerEffect = { readonly kind: 'answer'; readonly answer: PermissionAnswer };

/** A line is written first. */
export type WriteEffect = {
  readonly kind: 'write';
  readonly prompt: string;
  readonly label: string;
  readonly hint: string;
  readonly answer: (text: string | undefined) => PermissionAnswer;
};

/** The document is changed; then it is asked again. */
export type EditEffect = { readonly kind: 'edit'; readonly document: QuestionDocument };

/** The fields are filled in; then it is asked whether to send them. */
export type FillEffect = { readonly kind: 'fill'; readonly form: Form };

export type ChoiceEffect = AnswerEffect | WriteEffect | EditEffect | FillEffect;

export function answerWith(answer: PermissionAnswer): AnswerEffect {
  return { kind: 'answer', answer };
}

/** A no, with what was said to it. */
export function refuse(remark: string | undefined): PermissionAnswer {
  const reason = remark?.trim();
  return reason ? { behavior: 'deny', reason } : { behavior: 'deny' };
}
