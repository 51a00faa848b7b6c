/** Accept a plan, with or without a question for each edit, change it, or continue planning (EX-15, TU-16). */

import { escapeToLine } from '../../../protocol/escape-controls.js';
import type { PermissionAnswer, PlanQuestion } from '../../../protocol/permission.js';
import { fullName, headOf } from '../name-requester.js';
import { offerChoices } from '../offer-choices.js';
import { answerWith, type ChoiceQuestion, type QuestionDocument, refuse } from '../question-description.js';
import { bound, quote } from '../question-lines.js';

/** `text`: the plan as it was changed. */
export function describePlan(question: PlanQuestion, text = question.plan.text): ChoiceQuestion {
  const { agent, plan } = question;
  const does = 'has a plan';
  const detail = {
    kind: 'detail',
    text: `  nothing is changed until you accept it; it is kept in ${escapeToLine(plan.file)}`,
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
      head: headOf(listed, text === plan.text ? does : `${does}, as you changed it`),
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
      label: 'yes, and ask about each change',
      keys: ['2'],
      short: 'go, ask',
      button: { id: 'allow', name: 'Yes, and ask about each change' },
      effect: answerWith(acceptPlan(question, document.text)),
    },
    ...offerChoices(question).map(({ choice, ...offer }) => ({
      ...offer,
      label: `yes, and ${offer.label}`,
      keys: ['1'],
      short: 'go, edits accepted',
      effect: answerWith({ ...acceptPlan(question, document.text), always: [choice] }),
    })),
    {
      words: ['c'],
      label: 'change the plan first',
      keys: ['ctrl+g'],
      short: 'edit it',
      effect: { kind: 'edit', document },
    },
    {
      words: ['n', 'no'],
      label: 'no, go on planning',
      button: { id: 'reject', name: 'No, go on planning' },
      effect: answerWith({ behavior: 'deny' }),
    },
    {
      words: ['r'],
      label: 'no, with a remark (or: n and the remark)',
      keys: ['3', 'n'],
      short: 'change it, because…',
      effect: {
        kind: 'write',
        prompt: 'remark: ',
        label: 'change it, because',
        hint: 'enter: planning goes on',
        answer: refuse,
      },
    },
  ];
}

/** The text is part of the answer only if it was changed. */
function acceptPlan({ plan }: PlanQuestion, text: string): PermissionAnswer & { readonly behavior: 'allow' } {
  return { behavior: 'allow', ...(text === plan.text ? {} : { updatedInput: { plan: text } }) };
}
