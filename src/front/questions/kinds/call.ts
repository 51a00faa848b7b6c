/** Asks whether a call may run: once, always by exactly the rule shown, or not, with a reason (GT-11, TU-12, TU-14). */

import measure from 'fast-string-width';
import { escapeToLine } from '../../../protocol/escape-controls.js';
import type { CallQuestion, PermissionQuestion } from '../../../protocol/permission.js';
import { describeCall } from '../../view/describe/describe-call.js';
import { fullName, headOf, shortName } from '../name-requester.js';
import { type OfferChoice, offerChoices } from '../offer-choices.js';
import { answerWith, type ChoiceQuestion, type Listed, refuse } from '../question-description.js';
import { MARGIN, type QuestionLine } from '../question-lines.js';
import { describeInput, splitInput } from './call-input.js';

/** A longer rule is shown in full above the choices. */
const LONGEST_RULE = 40;
const ELLIPSIS = '…';
/** Shown until the input is described. */
const PLACEHOLDER: readonly QuestionLine[] = [{ kind: 'detail', text: `  ${ELLIPSIS}` }];

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
    input: () => describeInput(call, true).catch(() => [rawInput(call.input)]),
    text: (listed, { only, input = PLACEHOLDER }) => {
      const [inline, lines] = splitInput(call.tool, input);
      return {
        head: headOf(listed, 'asks', only),
        call: { tool, ...(inline === undefined ? {} : { input: inline }) },
        details: [...longRules(question), ...describeContexts(listed)],
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
      effect: { kind: 'write', prompt: 'reason: ', label: 'because', hint: 'enter sends the no', answer: refuse },
    },
  ];
}

function shortOffer(question: CallQuestion, offers: readonly OfferChoice[], offer: OfferChoice): string {
  const { choice, rank, label } = offer;
  if (choice.kind !== 'rule') return label;
  // The same rule is offered for the session, next to it.
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
  return tool === 'Bash' && rule === `Bash(${input.command})` ? 'exactly this command' : ELLIPSIS;
}

function longRules(question: CallQuestion): readonly QuestionLine[] {
  return question.offers.flatMap((offer): readonly QuestionLine[] =>
    offer.kind === 'rule' && offer.where.length > 0 && shortRule(question, offer.rule) === ELLIPSIS
      ? [{ kind: 'detail', text: `  always: ${escapeToLine(offer.rule)}` }]
      : [],
  );
}

/** Describes where each requester works and why it asks, once if they agree. */
function describeContexts(listed: Listed): readonly QuestionLine[] {
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

/** Shortens paths in the folder, which has its own line. */
function relativeTo(cwd: string, reason: string): string {
  return escapeToLine(cwd === '/' ? reason : reason.replaceAll(` ${cwd}/`, ' '));
}

function rawInput(input: unknown): QuestionLine {
  return { kind: 'input', text: `${MARGIN}${escapeToLine(JSON.stringify(input) ?? 'undefined')}` };
}
