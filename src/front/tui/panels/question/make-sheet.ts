/** The sheet for a question, by its kind. */

import type { PermissionQuestion } from '../../../../protocol/permission.js';
import { describeNote } from '../../../view/describe/describe-question.js';
import { AskSheet } from './ask-sheet.js';
import { CallSheet } from './call-sheet.js';
import { ConfirmSheet } from './confirm-sheet.js';
import { FormSheet } from './form-sheet.js';
import { PlanSheet } from './plan-sheet.js';
import type { Sheet, SheetDesk } from './sheet.js';

export function makeSheet(desk: SheetDesk, question: PermissionQuestion): Sheet {
  const { about, elicitation, plan, questions } = question;
  if (elicitation !== undefined) return new FormSheet(desk, elicitation, describeNote(question) ?? []);
  if (plan !== undefined) return new PlanSheet(desk, question, plan);
  if (questions !== undefined) return new AskSheet(desk, questions);
  switch (about) {
    case 'agents-edit':
    case 'memory-snapshot':
    case 'skill-grants':
      return new ConfirmSheet(desk, { ...question, about }, describeNote(question) ?? []);
    case undefined:
    case 'elicitation':
    case 'plan':
    case 'questions':
      return new CallSheet(desk, question);
    default:
      return about satisfies never;
  }
}
