/** The "always" choices of a question: each offer, for each place where it can be saved. */

import { escapeToLine } from '../../protocol/escape-controls.js';
import type {
  PermissionAnswer,
  PermissionChoice,
  PermissionOffer,
  PermissionQuestion,
} from '../../protocol/permission.js';
import { answerWith, type QuestionChoice } from './question-description.js';

/** The label names exactly what the choice covers from now on. */
export type OfferChoice = QuestionChoice & {
  readonly choice: PermissionChoice;
  /** For a rule; 1 is the narrowest. */
  readonly rank?: number;
};

/** Narrowest first. Typed, `a` and `p` are the narrowest rule, `a2` and `p2` the next one; `e` is all edits. */
export function offerChoices({ offers }: Pick<PermissionQuestion, 'offers'>): readonly OfferChoice[] {
  let rank = 0;
  return offers.flatMap((offer, index): readonly OfferChoice[] => {
    const id = `always-${index + 1}`;
    const label = describeOffer(offer, 'session');
    if (offer.kind === 'agents-edit') return [offered({ kind: 'agents-edit' }, 'a', label, { id, name: upper(label) })];
    if (offer.kind === 'mode') return [offered(offer, 'e', label, { id, name: `Yes, ${label}` })];
    rank += 1;
    const number = rank > 1 ? rank : '';
    return offer.where.map((where) => {
      const choice = { kind: offer.kind, rule: offer.rule, where };
      // Each label is complete: an editor may show them in any order.
      const name = upper(describeOffer({ ...offer, where: [where] }, where));
      const word = `${where === 'local' ? 'p' : 'a'}${number}`;
      return { ...offered(choice, word, describeOffer(offer, where), { id: `${id}-${where}`, name }), rank };
    });
  });
}

function offered(
  choice: PermissionChoice,
  word: string,
  label: string,
  button: NonNullable<QuestionChoice['button']>,
): OfferChoice {
  return { choice, words: [word], label, button, effect: answerWith({ behavior: 'allow', always: [choice] }) };
}

/** Removes choices that this question does not offer. */
export function keepOffered(answer: PermissionAnswer, question: PermissionQuestion): PermissionAnswer {
  if (answer.behavior !== 'allow' || answer.always === undefined) return answer;
  const { always, ...rest } = answer;
  const known = new Set(offerChoices(question).map(({ choice }) => JSON.stringify(choice)));
  const kept = always.filter((choice) => known.has(JSON.stringify(choice)));
  return kept.length === 0 ? rest : { ...rest, always: kept };
}

/** Describes exactly what the offer covers. The rule is written in full where it is offered first. */
function describeOffer(offer: PermissionOffer, where: 'session' | 'local'): string {
  switch (offer.kind) {
    case 'mode':
      return `auto-accept edits in this session (mode ${offer.mode})`;
    case 'agents-edit':
      return `always, in every folder (saved in ${escapeToLine(offer.file)})`;
    case 'rule':
      if (where === offer.where[0]) return `always in this ${SCOPES[where]}: ${escapeToLine(offer.rule)}`;
      return `the same, always in this ${SCOPES[where]}`;
    default:
      return offer satisfies never;
  }
}

const SCOPES = { session: 'session', local: 'project (local settings)' } as const;

function upper(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
