/** Open questions as they are shown: identical ones once, with everyone who asks (TU-14). */

import type { PermissionQuestion } from '../../protocol/permission.js';

export type QuestionGroup = {
  readonly key: string;
  /** Oldest first; at least one. */
  readonly members: readonly [PermissionQuestion, ...PermissionQuestion[]];
};

/** In the order of the oldest of each. */
export function groupQuestions(questions: readonly PermissionQuestion[]): readonly QuestionGroup[] {
  const groups = new Map<string, [PermissionQuestion, ...PermissionQuestion[]]>();
  for (const question of questions) {
    const key = keyOf(question);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [question]);
    else group.push(question);
  }
  return [...groups].map(([key, members]) => ({ key, members }));
}

/**
 * The same call. What is not about a call is shown for itself, except questions of the model: a plan is one agent's, and a
 * server's form may want another answer each time.
 */
function keyOf({ id, about, call, destroys }: PermissionQuestion): string {
  if (about !== undefined && about !== 'questions') return id;
  return JSON.stringify([about ?? '', call.tool, call.input, destroys]);
}
