/** May agents change files without asking for each change? */

import { escapeToLine } from '../../../protocol/escape-controls.js';
import type { AgentsEditQuestion } from '../../../protocol/permission.js';
import { confirm } from '../confirm.js';
import type { QuestionDescription } from '../question-description.js';

export function describeAgentsEdit(question: AgentsEditQuestion): QuestionDescription {
  return confirm(question, {
    title: `May agents change files in ${escapeToLine(question.cwd)} without asking for each change?`,
    yes: 'yes, in this session',
    button: 'Yes, in this session',
    no: 'no: each change is asked for, in this session',
  });
}
