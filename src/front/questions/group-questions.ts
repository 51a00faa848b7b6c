/** Open questions as they are shown: identical ones once, with everyone who asks (TU-14). */

import type { PermissionQuestion } from '../../protocol/permission.js';
import type { Listed } from './question-description.js';
import { describeQuestion } from './question-kinds.js';

export type QuestionGroup = { readonly key: string; readonly members: Listed };

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

/** The same call. A plan is one agent's, and a server's form may need another answer each time. */
function keyOf(question: PermissionQuestion): string {
  const { id, about, call, destroys } = question;
  if (!describeQuestion(question).isShared) return id;
  return JSON.stringify([about ?? '', call.tool, call.input, destroys]);
}
