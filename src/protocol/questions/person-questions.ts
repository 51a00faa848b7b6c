/** Questions of a model to the person (EX-16): what may be asked. */

import type { UserQuestion } from '../tools/ask-user-question.js';

export type QuestionsRequest = {
  /** The call that asks. */
  readonly call: string;
  readonly questions: readonly UserQuestion[];
  /** What a hook put into the call's input; checked as all answers are. */
  readonly answers?: unknown;
};

export type PersonAnswers = {
  /** By question: labels joined by ", ", or the person's own text. Not all of them need one. */
  readonly answers: Readonly<Record<string, string>>;
  /** A free reply in place of answers. */
  readonly response?: string;
  /** What clients add to an answer, by question. */
  readonly annotations?: Readonly<Record<string, unknown>>;
};

export type PersonReply =
  | ({ readonly kind: 'answered'; readonly by: 'person' | 'hook' } & PersonAnswers)
  /** The person did not answer. `reason`: what they said instead; `interrupt`: the run is to end as well. */
  | { readonly kind: 'dismissed'; readonly reason?: string; readonly interrupt?: boolean }
  /** A yes, or answers to something else, in which there is no answer. */
  | { readonly kind: 'empty'; readonly reason: string }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'late'; readonly seconds: number }
  | { readonly kind: 'taken-back' }
  | { readonly kind: 'nobody' }
  /** The mode is `dontAsk`. */
  | { readonly kind: 'not-asked' };

const LONGEST_HEADER = 12;
const LONGEST = { question: 2_000, label: 200, description: 2_000, preview: 20_000 } as const;

/** What is wrong, as lines for the model. Their texts are keys, so none may stand twice. */
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

/** Nothing in it shows. */
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

/** As a person tells texts apart. */
function plainly(value: string): string {
  return value
    .normalize('NFKC')
    .replace(/[\s\p{C}\p{DI}\p{Z}]+/gu, ' ')
    .trim()
    .toLowerCase();
}
