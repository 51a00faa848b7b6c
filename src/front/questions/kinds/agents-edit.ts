/** Asks whether agents may edit files without asking. */

import { escapeToLine } from '../../../protocol/escape-controls.js';
import type { AgentsEditQuestion } from '../../../protocol/permission.js';
import { confirm } from '../confirm.js';
import type { QuestionDescription } from '../question-description.js';

export function describeAgentsEdit(question: AgentsEditQuestion): QuestionDescription {
  return confirm(question, {
    title: `Let agents edit files in ${escapeToLine(question.cwd)} without asking?`,
    yes: 'yes, in this session',
    button: 'Yes, in this session',
    no: 'no, ask for each edit in this session',
  });
}
