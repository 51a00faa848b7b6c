/** The form for a question, by its kind. */

import type { PermissionQuestion } from '../../../../protocol/permission.js';
import { describeNote } from '../../../view/describe/describe-question.js';
import { CallForm } from './call-form.js';
import { ConfirmForm } from './confirm-form.js';
import { ElicitationFormView } from './elicitation-form-view.js';
import { PlanForm } from './plan-form.js';
import type { FormHost, QuestionForm } from './question-form.js';
import { QuestionsForm } from './questions-form.js';

export function makeForm(host: FormHost, question: PermissionQuestion): QuestionForm {
  const { about, elicitation, plan, questions } = question;
  if (elicitation !== undefined) return new ElicitationFormView(host, elicitation, describeNote(question) ?? []);
  if (plan !== undefined) return new PlanForm(host, question, plan);
  if (questions !== undefined) return new QuestionsForm(host, questions);
  switch (about) {
    case 'agents-edit':
    case 'memory-snapshot':
    case 'skill-grants':
      return new ConfirmForm(host, { ...question, about }, describeNote(question) ?? []);
    case undefined:
    case 'elicitation':
    case 'plan':
    case 'questions':
      return new CallForm(host, question);
    default:
      return about satisfies never;
  }
}
