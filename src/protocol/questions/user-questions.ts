/** Questions that a model asks the user, and their limits (EX-16). */

import type { UserQuestion } from '../tools/ask-user-question.js';

export type QuestionsRequest = {
  /** The call that asks them. */
  readonly call: string;
  readonly questions: readonly UserQuestion[];
  /** Answers that a hook put into the call's input; checked like all answers. */
  readonly answers?: unknown;
};

export type UserAnswers = {
  /** By question: labels joined by ", ", or the user's own text. Questions may be left unanswered. */
  readonly answers: Readonly<Record<string, string>>;
  /** A free reply in place of answers. */
  readonly response?: string;
  /** Additions of clients to an answer, by question. */
  readonly annotations?: Readonly<Record<string, unknown>>;
};

export type UserReply =
  | ({ readonly kind: 'answered'; readonly by: 'person' | 'hook' } & UserAnswers)
  /** The user did not answer. `reason`: their text instead; `interrupt`: the run should end as well. */
  | { readonly kind: 'dismissed'; readonly reason?: string; readonly interrupt?: boolean }
  /** A yes, or answers to other questions, that contains no answer. */
  | { readonly kind: 'empty'; readonly reason: string }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'late'; readonly seconds: number }
  | { readonly kind: 'taken-back' }
  | { readonly kind: 'nobody' }
  /** The mode is `dontAsk`. */
  | { readonly kind: 'not-asked' };

const LONGEST_HEADER = 12;
const LONGEST = { question: 2_000, label: 200, description: 2_000, preview: 20_000 } as const;

/** Returns the problems, as lines for the model. Questions serve as keys, so no two may be the same. */
export function findQuestionProblems(questions: readonly UserQuestion[]): readonly string[] {
  return [
    ...questions.flatMap(({ question, header, options }, index) => {
      const at = `question ${index + 1}`;
      return [
        ...problemsOf(`${at}: "question"`, question, LONGEST.question),
        ...problemsOf(`${at}: "header"`, header, LONGEST_HEADER),
        ...options.flatMap(({ label, description, preview = '' }, option) => [
          ...problemsOf(`${at}, option ${option + 1}: "label"`, label, LONGEST.label),
          ...tooLong(`${at}, option ${option + 1}: "description"`, description, LONGEST.description),
          ...tooLong(`${at}, option ${option + 1}: "preview"`, preview, LONGEST.preview),
        ]),
        ...twice(
          options.map(({ label }) => label),
          (first, second) => `- ${at}: options ${first} and ${second} have the same label.`,
        ),
      ];
    }),
    ...twice(
      questions.map(({ question }) => question),
      (first, second) => `- questions ${first} and ${second} are the same: each needs a text of its own.`,
    ),
  ];
}

function problemsOf(what: string, value: string, most: number): readonly string[] {
  return isBlank(value) ? [`- ${what} is blank.`] : tooLong(what, value, most);
}

function tooLong(what: string, value: string, most: number): readonly string[] {
  const { length } = [...value];
  return length > most ? [`- ${what} has ${length} characters; at most ${most} are allowed.`] : [];
}

/** True if nothing in the text is visible. */
export function isBlank(value: string): boolean {
  return !/[^\s\p{C}\p{DI}\p{Z}]/u.test(value);
}

function twice(values: readonly string[], say: (first: number, second: number) => string): readonly string[] {
  const seen = new Map<string, number>();
  return values.flatMap((value, index) => {
    const key = plainly(value);
    const first = seen.get(key);
    seen.set(key, first ?? index);
    return first === undefined || isBlank(value) ? [] : [say(first + 1, index + 1)];
  });
}

/** Normalizes text so that two texts that look the same are equal. */
function plainly(value: string): string {
  return value
    .normalize('NFKC')
    .replace(/[\s\p{C}\p{DI}\p{Z}]+/gu, ' ')
    .trim()
    .toLowerCase();
}
