/** Reads the answers to a model's questions (EX-16). */

import { objectOf } from '../json/json-values.js';
import type { Result } from '../result.js';
import type { UserQuestion } from '../tools/ask-user-question.js';
import { isBlank, type UserAnswers } from './user-questions.js';

/** `unknown`: answered questions that were not asked. */
export type ReadAnswers = Result<{ readonly answers: UserAnswers; readonly unknown: readonly string[] }>;

const LONGEST_ANSWER = 20_000;

/** `given`: from a client or a hook. Blank answers, and answers to questions that were not asked, are ignored. */
export function readAnswers(questions: readonly UserQuestion[], given: unknown): ReadAnswers {
  const fields = objectOf(given);
  const asked = new Set(questions.map(({ question }) => question));
  const said = Object.entries(objectOf(fields.answers));
  const answers = said.flatMap(([question, value]): readonly (readonly [string, string])[] => {
    const answer = textOf(value);
    return asked.has(question) && answer !== undefined ? [[question, answer]] : [];
  });
  const response = textOf(fields.response);
  const unknown = said.map(([question]) => question).filter((question) => !asked.has(question));
  if (answers.length === 0 && response === undefined) {
    return { ok: false, reason: said.length === 0 ? 'there is no answer in it' : 'it answers none of the questions' };
  }
  const notes = Object.entries(objectOf(fields.annotations)).filter(
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

/** Several labels may be given as a list. */
function textOf(value: unknown): string | undefined {
  const joined = Array.isArray(value) && value.every((one) => typeof one === 'string') ? value.join(', ') : value;
  if (typeof joined !== 'string' || isBlank(joined)) return undefined;
  const trimmed = joined.trim();
  return trimmed.length <= LONGEST_ANSWER ? trimmed : `${trimmed.slice(0, LONGEST_ANSWER).toWellFormed()}… (cut)`;
}
