/**
 * A question as every surface renders it. One function per kind builds it (kinds/); a surface knows only the form of the
 * answer: choose one, fill in fields, pick options. A choice has several labels, for surfaces with more or less room.
 */

import type { ElicitationForm } from '../../protocol/mcp/elicitation-form.js';
import type { PermissionAnswer, PermissionQuestion } from '../../protocol/permission.js';
import type { UserQuestion } from '../../protocol/tools/ask-user-question.js';
import type { QuestionLine, QuestionText } from './question-lines.js';

/** Identical questions, oldest first. */
export type Listed = readonly [PermissionQuestion, ...PermissionQuestion[]];

export type QuestionDescription = ChoiceQuestion | FieldsQuestion | OptionsQuestion;

type Shown = {
  /**
   * The role of its call. `judged`: the question is whether it may run. `asks`: the call itself is the question, so a user
   * must answer. `none`: there is no call; in an editor the question gets its own entry.
   */
  readonly call: 'judged' | 'asks' | 'none';
  /** The title of that entry. */
  readonly title?: string;
  /** Several agents with the same question are answered together (TU-14). */
  readonly isShared?: true;
  /** The predicate after the requester's name: `has a plan`. */
  readonly does: string;
  /** The same for a client program, if the reason does not include it. */
  readonly wants?: string;
  /** The full text, for a surface with room for it; long contents are cut unless `whole`. */
  lines(whole?: boolean): Promise<readonly QuestionLine[]>;
  /** The text for the rows of the terminal. */
  text(listed: Listed, view: TextView): QuestionText;
};

export type TextView = {
  /** The id of a question, if the answer is for this one alone. */
  readonly only?: string | undefined;
  /** `2 of 3`, for a question in several steps. */
  readonly step?: string | undefined;
  /** Set once it is described. */
  readonly input?: readonly QuestionLine[] | undefined;
};

/** A question with choices: each is an answer, or leads to one. */
export type ChoiceQuestion = Shown & {
  readonly form: 'choose';
  /** Precedes the choices where they are printed as text. */
  readonly ask?: string;
  choices(): readonly QuestionChoice<AnswerEffect | WriteEffect | EditEffect>[];
  /** The choices are long: one per line. */
  readonly isList?: true;
  /** No choice is preselected. Otherwise the plain yes is. */
  readonly isOpen?: true;
  /** Describes the input, if that takes time. */
  readonly input?: () => Promise<readonly QuestionLine[]>;
  /** A text to read, and possibly change, before answering. */
  readonly document?: QuestionDocument;
};

export type QuestionDocument = {
  /** A noun: `plan`. */
  readonly name: string;
  readonly text: string;
  readonly file: string;
  /** The question about the changed text. */
  readonly change: (text: string) => ChoiceQuestion;
};

export type Form = ElicitationForm & { readonly mode: 'form' };

/** A question where a yes leads to fields, one after another; everything is shown before it is sent. */
export type FieldsQuestion = Shown & {
  readonly form: 'fields';
  readonly asked: ElicitationForm;
  choices(): readonly QuestionChoice<AnswerEffect | FillEffect>[];
};

/** Questions answered with options or free text. */
export type OptionsQuestion = Shown & { readonly form: 'options'; readonly asked: readonly UserQuestion[] };

export type QuestionChoice<Effect = AnswerEffect> = {
  /** Accepted as typed lines; the first is shown. Absent: not offered there. */
  readonly words?: readonly string[];
  readonly label: string;
  /** Keys in the terminal; the first is shown. Absent: not offered there. */
  readonly keys?: readonly string[];
  /** Replaces the label where there is little room. */
  readonly short?: string;
  /** For an editor. Absent: not offered there. */
  readonly button?: { readonly id: string; readonly name: string };
  readonly effect: Effect;
};

export type AnswerEffect = { readonly kind: 'answer'; readonly answer: PermissionAnswer };

/** Asks for a line of text first. */
export type WriteEffect = {
  readonly kind: 'write';
  readonly prompt: string;
  readonly label: string;
  readonly hint: string;
  readonly answer: (text: string | undefined) => PermissionAnswer;
};

/** Opens the document for changes, then asks again. */
export type EditEffect = { readonly kind: 'edit'; readonly document: QuestionDocument };

/** Asks for the fields, then whether to send them. */
export type FillEffect = { readonly kind: 'fill'; readonly form: Form };

export type ChoiceEffect = AnswerEffect | WriteEffect | EditEffect | FillEffect;

export function answerWith(answer: PermissionAnswer): AnswerEffect {
  return { kind: 'answer', answer };
}

/** A refusal, with an optional reason. */
export function refuse(remark: string | undefined): PermissionAnswer {
  const reason = remark?.trim();
  return reason ? { behavior: 'deny', reason } : { behavior: 'deny' };
}
