/** The kinds of questions. To add one: a member of `PermissionQuestion`, a file in kinds/ and a line here. */

import type { CallQuestion, PermissionQuestion } from '../../protocol/permission.js';
import { describeAgentsEdit } from './kinds/agents-edit.js';
import { describeCallQuestion } from './kinds/call.js';
import { describeElicitation } from './kinds/elicitation.js';
import { describeMemorySnapshot } from './kinds/memory-snapshot.js';
import { describePlan } from './kinds/plan.js';
import { describeSkillGrants } from './kinds/skill-grants.js';
import { describeUserQuestions } from './kinds/user-questions.js';
import type { QuestionDescription } from './question-description.js';

type Kind = NonNullable<PermissionQuestion['about']> | 'call';

type QuestionOfKind<K extends Kind> = K extends 'call'
  ? CallQuestion
  : Extract<PermissionQuestion, { readonly about: K }>;

const KINDS: { readonly [K in Kind]: (question: QuestionOfKind<K>) => QuestionDescription } = {
  call: describeCallQuestion,
  'agents-edit': describeAgentsEdit,
  'memory-snapshot': describeMemorySnapshot,
  'skill-grants': describeSkillGrants,
  elicitation: describeElicitation,
  plan: describePlan,
  questions: describeUserQuestions,
};

export function describeQuestion(question: PermissionQuestion): QuestionDescription {
  // The function matches the question's kind, but the compiler can't follow that through the table.
  const describe = KINDS[question.about ?? 'call'] as (question: PermissionQuestion) => QuestionDescription;
  return describe(question);
}
