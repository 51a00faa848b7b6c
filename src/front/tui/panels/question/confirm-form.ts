/** Yes or no to something that is not about a call: agents that edit, notes of the team, what a skill is granted. */

import type { PermissionQuestion } from '../../../../protocol/permission.js';
import { offerChoices } from '../../../questions/offer-choices.js';
import type { QuestionLine } from '../../../view/describe/question-line.js';
import type { QuestionText } from '../../parts/question-rows.js';
import type { Choice, FormHost, QuestionForm } from './question-form.js';

/** What is said of each kind. `isOpen`: no answer is the likelier one. */
const WORDS = {
  'agents-edit': { yes: 'yes, in this session', no: 'no: each change is asked for, in this session', isOpen: false },
  'memory-snapshot': { yes: 'yes, take them', no: 'no, keep mine', isOpen: true },
  'skill-grants': {
    yes: 'yes, and in later sessions, until the skill changes',
    no: 'no: it is followed without that',
    isOpen: true,
  },
} as const;

export class ConfirmForm implements QuestionForm {
  readonly isReady = true;
  readonly isList = true;
  readonly needsEnter = false;
  readonly hints: readonly string[] = [];
  readonly field = undefined;
  readonly only = undefined;
  readonly preset: number | undefined;
  readonly #text: QuestionText;
  readonly #choices: readonly Choice[];

  constructor(
    { give }: FormHost,
    question: PermissionQuestion & { readonly about: keyof typeof WORDS },
    lines: readonly QuestionLine[],
  ) {
    const { yes, no, isOpen } = WORDS[question.about];
    const [title, ...rest] = lines;
    this.preset = isOpen ? undefined : 0;
    this.#text = { head: title?.text ?? '', details: [], lines: rest, marks: [] };
    this.#choices = [
      { keys: ['1', 'y'], text: yes, pick: () => give({ behavior: 'allow' }) },
      ...offerChoices(question).map(
        ({ text, choice }, index): Choice => ({
          keys: index === 0 ? ['2', 'a'] : [String(index + 3)],
          text,
          pick: () => give({ behavior: 'allow', always: [choice] }),
        }),
      ),
      { keys: ['3', 'n'], text: no, pick: () => give({ behavior: 'deny' }) },
    ];
  }

  text(): QuestionText {
    return this.#text;
  }

  choices(): readonly Choice[] {
    return this.#choices;
  }
}
