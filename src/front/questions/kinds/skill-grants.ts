/** Asks whether a skill may have its grants, which are listed one per line. */

import { escapeToLine } from '../../../protocol/escape-controls.js';
import type { SkillGrantsQuestion } from '../../../protocol/permission.js';
import { confirm } from '../confirm.js';
import type { QuestionDescription } from '../question-description.js';
import { quote } from '../question-lines.js';

export function describeSkillGrants(question: SkillGrantsQuestion): QuestionDescription {
  const [title = '', ...grants] = question.reason.split('\n');
  return confirm(question, {
    title: escapeToLine(title),
    lines: grants.flatMap((grant) => quote(grant)),
    yes: 'yes, and in later sessions, until the skill changes',
    button: 'Yes',
    no: 'no, use the skill without them',
    isOpen: true,
  });
}
