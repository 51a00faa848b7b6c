/** Describes a yes-or-no question without a call. */

import type { PermissionQuestion } from '../../protocol/permission.js';
import { offerChoices } from './offer-choices.js';
import { answerWith, type ChoiceQuestion } from './question-description.js';
import type { QuestionLine } from './question-lines.js';

export type Confirmation = {
  readonly title: string;
  readonly lines?: readonly QuestionLine[];
  readonly yes: string;
  /** Label of the yes in an editor. */
  readonly button: string;
  readonly no: string;
  readonly isOpen?: true;
};

export function confirm(question: PermissionQuestion, asked: Confirmation): ChoiceQuestion {
  const { title, lines = [], yes, button, no, isOpen } = asked;
  return {
    form: 'choose',
    call: 'none',
    title,
    does: 'has a question',
    isList: true,
    ...(isOpen === undefined ? {} : { isOpen }),
    lines: async () => [{ kind: 'title', text: title }, ...lines],
    text: () => ({ head: title, details: [], lines, marks: [] }),
    choices: () => [
      {
        words: ['y', 'yes'],
        label: yes,
        keys: ['1', 'y'],
        button: { id: 'allow', name: button },
        effect: answerWith({ behavior: 'allow' }),
      },
      ...offerChoices(question).map((offer) => ({ ...offer, keys: ['2', 'a'] })),
      {
        words: ['n', 'no'],
        label: no,
        keys: ['3', 'n'],
        button: { id: 'reject', name: 'No' },
        effect: answerWith({ behavior: 'deny' }),
      },
    ],
  };
}
