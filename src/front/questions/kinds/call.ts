/** May this call run? Once, always by exactly the rule that is shown, or not, with a reason (GT-11, TU-12, TU-14). */

import measure from 'fast-string-width';
import { escapeToLine } from '../../../protocol/escape-controls.js';
import type { CallQuestion, PermissionQuestion } from '../../../protocol/permission.js';
import { describeCall } from '../../view/describe/describe-call.js';
import { fullName, headOf, shortName } from '../name-requester.js';
import { type OfferChoice, offerChoices } from '../offer-choices.js';
import { answerWith, type ChoiceQuestion, type Listed, refuse } from '../question-description.js';
import { MARGIN, type QuestionLine } from '../question-lines.js';
import { describeInput, splitInput } from './call-input.js';

/** A longer rule stands above the choices, where there is room for all of it. */
const LONGEST_RULE = 40;
const LEFT_OUT = '…';
/** Until the input is described. */
const COMING: readonly QuestionLine[] = [{ kind: 'detail', text: `  ${LEFT_OUT}` }];

export function describeCallQuestion(question: CallQuestion): ChoiceQuestion {
  const { agent, call, cwd, reason, destroys } = question;
  const tool = escapeToLine(call.tool);
  const does = `asks to use ${tool}`;
  return {
    form: 'choose',
    call: 'judged',
    isShared: true,
    does,
    wants: `wants to use ${describeCall(call.tool, call.input)}`,
    ask: 'Allow it?',
    lines: async (whole = false) => [
      { kind: 'title', text: `${fullName(agent)} ${does}` },
      ...(agent.task === undefined ? [] : [{ kind: 'detail', text: `  for: ${escapeToLine(agent.task)}` } as const]),
      { kind: 'detail', text: `  in ${escapeToLine(cwd)}${inWorktree(agent)}` },
      { kind: 'detail', text: `  because ${relativeTo(cwd, reason)}` },
      ...(await describeInput(call, whole)),
      ...destroys.map((mark): QuestionLine => ({ kind: 'danger', text: `  ! ${escapeToLine(mark)}` })),
    ],
    input: () => describeInput(call, true).catch(() => [asItIs(call.input)]),
    text: (listed, { only, input = COMING }) => {
      const [inline, lines] = splitInput(call.tool, input);
      return {
        head: headOf(listed, 'asks', only),
        call: { tool, ...(inline === undefined ? {} : { input: inline }) },
        details: [...longRules(question), ...describePlaces(listed)],
        lines,
        marks: destroys.map(escapeToLine),
      };
    },
    choices: () => callChoices(question),
  };
}

function callChoices(question: CallQuestion): ReturnType<ChoiceQuestion['choices']> {
  const offers = offerChoices(question);
  const always = offers.find(({ choice }) => choice.kind === 'rule' && choice.where === 'session');
  const local = offers.find(isLocal);
  const others = offers.filter((offer) => offer !== always && offer !== local);
  const keysOf = (offer: OfferChoice) =>
    offer === always ? ['2', 'a'] : offer === local ? ['l'] : [String(others.indexOf(offer) + 4)];
  return [
    {
      words: ['y', 'yes'],
      label: 'yes, once',
      keys: ['1', 'y'],
      short: 'once',
      button: { id: 'allow', name: 'Yes, once' },
      effect: answerWith({ behavior: 'allow' }),
    },
    ...offers.map((offer) => ({ ...offer, keys: keysOf(offer), short: shortOffer(question, offers, offer) })),
    {
      words: ['n', 'no'],
      label: 'no',
      button: { id: 'reject', name: 'No' },
      effect: answerWith({ behavior: 'deny' }),
    },
    {
      words: ['r'],
      label: 'no, with a reason (or: n and the reason)',
      keys: ['3', 'n'],
      short: 'no, because…',
      effect: { kind: 'write', prompt: 'reason: ', label: 'because', hint: 'enter says no', answer: refuse },
    },
  ];
}

function shortOffer(question: CallQuestion, offers: readonly OfferChoice[], offer: OfferChoice): string {
  const { choice, rank, label } = offer;
  if (choice.kind !== 'rule') return label;
  // Next to the same rule for the session.
  const isRepeated = rank === 1 && offers.some((other) => other.rank === 1 && !isLocal(other));
  if (!isLocal(offer)) return `always ${shortRule(question, choice.rule)}`;
  return `${isRepeated ? 'the same' : `always ${shortRule(question, choice.rule)}`} in local settings`;
}

function isLocal({ choice }: OfferChoice): boolean {
  return choice.kind === 'rule' && choice.where === 'local';
}

function shortRule({ call: { tool, input } }: CallQuestion, rule: string): string {
  const text = escapeToLine(rule);
  if (measure(text) <= LONGEST_RULE) return text;
  return tool === 'Bash' && rule === `Bash(${input.command})` ? 'exactly this command' : LEFT_OUT;
}

function longRules(question: CallQuestion): readonly QuestionLine[] {
  return question.offers.flatMap((offer): readonly QuestionLine[] =>
    offer.kind === 'rule' && offer.where.length > 0 && shortRule(question, offer.rule) === LEFT_OUT
      ? [{ kind: 'detail', text: `  always: ${escapeToLine(offer.rule)}` }]
      : [],
  );
}

/** Where each works, and why it asks; what several have in common is said once. */
function describePlaces(listed: Listed): readonly QuestionLine[] {
  const [first] = listed;
  const isShared = listed.every(({ cwd, reason }) => cwd === first.cwd && reason === first.reason);
  const shown = isShared ? [first] : listed;
  return shown.flatMap(({ agent, cwd, reason }): readonly QuestionLine[] => {
    const who = isShared ? '' : `${shortName(agent)} `;
    const task = agent.task === undefined ? '' : ` · for: ${escapeToLine(agent.task)}`;
    return [{ kind: 'detail', text: `  ${who}in ${escapeToLine(cwd)}${task} · because ${relativeTo(cwd, reason)}` }];
  });
}

function inWorktree({ worktree }: PermissionQuestion['agent']): string {
  if (worktree === undefined) return '';
  const branch = worktree.branch === '' ? '' : `, branch ${escapeToLine(worktree.branch)}`;
  return ` (worktree ${escapeToLine(worktree.name)}${branch})`;
}

/** The folder is on a line of its own: paths in it are said from there. */
function relativeTo(cwd: string, reason: string): string {
  return escapeToLine(cwd === '/' ? reason : reason.replaceAll(` ${cwd}/`, ' '));
}

function asItIs(input: unknown): QuestionLine {
  return { kind: 'input', text: `${MARGIN}${escapeToLine(JSON.stringify(input) ?? 'undefined')}` };
}
