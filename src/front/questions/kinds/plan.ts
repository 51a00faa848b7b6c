/** Asks about a plan: accept it, with or without asking for each edit, change it, or continue planning (EX-15, TU-16). */

import { escapeToLine } from '../../../protocol/escape-controls.js';
import type { PermissionAnswer, PlanQuestion } from '../../../protocol/permission.js';
import { fullName, headOf } from '../name-requester.js';
import { offerChoices } from '../offer-choices.js';
import { answerWith, type ChoiceQuestion, type QuestionDocument, refuse } from '../question-description.js';
import { bound, quote } from '../question-lines.js';

/** `text`: the plan, possibly changed by the user. */
export function describePlan(question: PlanQuestion, text = question.plan.text): ChoiceQuestion {
  const { agent, plan } = question;
  const does = 'has a plan';
  const detail = {
    kind: 'detail',
    text: `  nothing is changed until you accept it; saved in ${escapeToLine(plan.file)}`,
  } as const;
  const document = {
    name: 'plan',
    text,
    file: plan.file,
    change: (changed: string) => describePlan(question, changed),
  };
  return {
    form: 'choose',
    call: 'asks',
    does,
    wants: does,
    ask: 'Accept it?',
    document,
    lines: async (whole = false) => [
      { kind: 'title', text: `${fullName(agent)} ${does}` },
      detail,
      ...bound(quote(text.replace(/\n+$/, '')), whole),
    ],
    // The document is printed above.
    text: (listed) => ({
      head: headOf(listed, text === plan.text ? does : `${does}, with your changes`),
      details: [detail],
      lines: [],
      marks: [],
    }),
    choices: () => planChoices(question, document),
  };
}

function planChoices(question: PlanQuestion, document: QuestionDocument): ReturnType<ChoiceQuestion['choices']> {
  return [
    {
      words: ['y', 'yes'],
      label: 'yes, ask for each edit',
      keys: ['2'],
      short: 'Yes, ask for each edit',
      button: { id: 'allow', name: 'Yes, ask for each edit' },
      effect: answerWith(acceptPlan(question, document.text)),
    },
    ...offerChoices(question).map(({ choice, ...offer }) => ({
      ...offer,
      label: `yes, ${offer.label}`,
      keys: ['1'],
      short: 'Yes, auto-accept edits',
      effect: answerWith({ ...acceptPlan(question, document.text), always: [choice] }),
    })),
    {
      words: ['c'],
      label: 'edit the plan first',
      keys: ['ctrl+g'],
      short: 'Edit the plan',
      effect: { kind: 'edit', document },
    },
    {
      words: ['n', 'no'],
      label: 'no, keep planning',
      button: { id: 'reject', name: 'No, keep planning' },
      effect: answerWith({ behavior: 'deny' }),
    },
    {
      words: ['r'],
      label: 'no, with a remark (or: n and the remark)',
      keys: ['3', 'n'],
      short: 'No, revise the plan…',
      effect: {
        kind: 'write',
        prompt: 'remark: ',
        label: 'what to revise',
        hint: 'enter continues planning',
        answer: refuse,
      },
    },
  ];
}

/** The text is part of the answer only if it was changed. */
function acceptPlan({ plan }: PlanQuestion, text: string): PermissionAnswer & { readonly behavior: 'allow' } {
  return { behavior: 'allow', ...(text === plan.text ? {} : { updatedInput: { plan: text } }) };
}
