/** Asks whether to use the team's notes for an agent type. */

import { escapeToLine } from '../../../protocol/escape-controls.js';
import type { MemorySnapshotQuestion } from '../../../protocol/permission.js';
import { confirm } from '../confirm.js';
import type { QuestionDescription } from '../question-description.js';

export function describeMemorySnapshot(question: MemorySnapshotQuestion): QuestionDescription {
  return confirm(question, {
    title: escapeToLine(question.reason),
    yes: 'yes, use them',
    button: 'Yes',
    no: 'no, keep mine',
    isOpen: true,
  });
}
