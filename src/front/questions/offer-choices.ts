/** What "always" can mean to a question, as things to choose: each offer in each place where it can be kept. */

import type { PermissionAnswer, PermissionChoice, PermissionQuestion } from '../../protocol/permission.js';
import { describeOffer } from '../view/describe/describe-question.js';

export type OfferChoice = {
  /** With exactly what it covers from now on. */
  readonly text: string;
  readonly choice: PermissionChoice;
  /** Of a rule: 1 is the narrowest. */
  readonly rank?: number;
};

/** Narrowest first. */
export function offerChoices({ offers }: Pick<PermissionQuestion, 'offers'>): readonly OfferChoice[] {
  let rank = 0;
  return offers.flatMap((offer): readonly OfferChoice[] => {
    const text = describeOffer(offer, 'session');
    if (offer.kind === 'agents-edit') return [{ text, choice: { kind: 'agents-edit' } }];
    if (offer.kind === 'mode') return [{ text, choice: offer }];
    rank += 1;
    const { kind, rule } = offer;
    return offer.where.map((where) => ({
      text: describeOffer(offer, where),
      choice: { kind, rule, where },
      rank,
    }));
  });
}

/** Whether a question has this among its offers: what was not offered is not kept. */
function isOffered(question: Pick<PermissionQuestion, 'offers'>, choice: PermissionChoice): boolean {
  const wanted = JSON.stringify(choice);
  return offerChoices(question).some((offered) => JSON.stringify(offered.choice) === wanted);
}

/** Without what this question does not offer. */
export function keepOffered(answer: PermissionAnswer, question: PermissionQuestion): PermissionAnswer {
  if (answer.behavior !== 'allow' || answer.always === undefined) return answer;
  const { always, ...rest } = answer;
  const kept = always.filter((choice) => isOffered(question, choice));
  return kept.length === 0 ? rest : { ...rest, always: kept };
}
