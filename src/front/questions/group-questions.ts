/** Groups open questions for display: identical ones are shown once, with all requesters (TU-14). */

import type { PermissionQuestion } from '../../protocol/permission.js';
import type { Listed } from './question-description.js';
import { describeQuestion } from './question-kinds.js';

export type QuestionGroup = { readonly key: string; readonly members: Listed };

/** In the order of the oldest question of each group. */
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

/** Equal for equal calls. A plan belongs to one agent, and a server's form may need a different answer each time. */
function keyOf(question: PermissionQuestion): string {
  const { id, about, call, destroys } = question;
  if (!describeQuestion(question).isShared) return id;
  return JSON.stringify([about ?? '', call.tool, call.input, destroys]);
}
