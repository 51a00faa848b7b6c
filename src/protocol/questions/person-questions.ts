/** Questions of a model to the person (EX-16): what may be asked, and what counts as an answer. */

import type { PersonQuestion } from '../tool-inputs.js';

export type QuestionsRequest = {
  /** The call that asks. */
  readonly call: string;
  readonly questions: readonly PersonQuestion[];
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
export function findQuestionProblems(questions: readonly PersonQuestion[]): readonly string[] {
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
function isBlank(value: string): boolean {
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

export type ReadAnswers =
  | {
      readonly ok: true;
      readonly answers: PersonAnswers /** What was left out. */;
      readonly unknown: readonly string[];
    }
  | { readonly ok: false; readonly reason: string };

const LONGEST_ANSWER = 20_000;

/** `given`: as a client or a hook gave it. Blank answers are none, and neither are those to what was not asked. */
export function readAnswers(questions: readonly PersonQuestion[], given: unknown): ReadAnswers {
  const fields = asFields(given) ?? {};
  const asked = new Set(questions.map(({ question }) => question));
  const said = Object.entries(asFields(fields.answers) ?? {});
  const answers = said.flatMap(([question, value]): readonly (readonly [string, string])[] => {
    const answer = textOf(value);
    return asked.has(question) && answer !== undefined ? [[question, answer]] : [];
  });
  const response = textOf(fields.response);
  const unknown = said.map(([question]) => question).filter((question) => !asked.has(question));
  if (answers.length === 0 && response === undefined) {
    return { ok: false, reason: said.length === 0 ? 'there is no answer in it' : 'it answers none of the questions' };
  }
  const notes = Object.entries(asFields(fields.annotations) ?? {}).filter(
    ([question, note]) => asked.has(question) && JSON.stringify(note ?? null).length <= LONGEST_ANSWER,
  );
  return {
    ok: true,
    answers: {
      answers: Object.fromEntries(answers),
      ...(response === undefined ? {} : { response }),
      ...(notes.length === 0 ? {} : { annotations: Object.fromEntries(notes) }),
    },
    unknown,
  };
}

/** Several labels may come as a list. */
function textOf(value: unknown): string | undefined {
  const joined = Array.isArray(value) && value.every((one) => typeof one === 'string') ? value.join(', ') : value;
  if (typeof joined !== 'string' || isBlank(joined)) return undefined;
  const trimmed = joined.trim();
  return trimmed.length <= LONGEST_ANSWER ? trimmed : `${trimmed.slice(0, LONGEST_ANSWER).toWellFormed()}… (cut)`;
}

function asFields(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}
