/** Puts a question at the terminal: shows everything, then reads a letter and Enter. */

import type { AskPermission, PermissionAnswer, PermissionQuestion } from '../../../protocol/permission.js';
import { isCommand } from '../../commands/is-command.js';
import { type OfferChoice, offerChoices } from '../../questions/offer-choices.js';
import { refuse } from '../../questions/refuse.js';
import { describeQuestion, isCut } from '../../view/describe/describe-question.js';
import { answerElicitation, elicitationChoices } from './elicitation/put-elicitation.js';
import { type QuestionHost, show, TAKEN_BACK } from './questions/question-host.js';

/** One question at a time: the next is shown once the last is settled. */
export function askAtTerminal(terminal: QuestionHost): AskPermission {
  let last: Promise<unknown> = Promise.resolve();
  return (question, signal) => {
    const answer = last.then(() => putQuestion(terminal, question, signal));
    last = answer.catch(() => {});
    return answer;
  };
}

async function putQuestion(
  terminal: QuestionHost,
  question: PermissionQuestion,
  signal: AbortSignal,
): Promise<PermissionAnswer> {
  const { screen, input, paint } = terminal;
  await terminal.settled();
  if (question.plan !== undefined) {
    const { putPlan } = await import('./questions/put-plan.js');
    return putPlan(terminal, question, question.plan, signal);
  }
  if (question.questions !== undefined) {
    const { putQuestions } = await import('./questions/put-questions.js');
    return putQuestions(terminal, question, question.questions, signal);
  }
  const shown = await describeQuestion(question);
  if (signal.aborted) return TAKEN_BACK;
  show(terminal, shown);
  const choices = describeChoices(question, isCut(shown));
  for (;;) {
    screen.line(choices);
    const line = await input.read({ prompt: '? ', question: true, signal });
    if (signal.aborted) {
      screen.line(paint.warn('(the question was withdrawn)'));
      return TAKEN_BACK;
    }
    if (line === undefined) {
      screen.line('(the input has ended, nobody can answer: denied)');
      return { behavior: 'deny', reason: 'the input has ended, so nobody can answer' };
    }
    if (isCommand(line)) {
      await terminal.command(line);
      await terminal.settled();
      if (signal.aborted) return TAKEN_BACK;
      show(terminal, shown);
      continue;
    }
    if (/^w(?:hole)?$/i.test(line.trim())) {
      show(terminal, await describeQuestion(question, { whole: true }));
      continue;
    }
    const { elicitation } = question;
    if (elicitation !== undefined) {
      const answered = await answerElicitation(terminal, elicitation, line, signal);
      if (signal.aborted) {
        screen.line(paint.warn('(the question was withdrawn)'));
        return TAKEN_BACK;
      }
      if (answered !== undefined) return answered;
      continue;
    }
    const answer = readAnswer(line, question);
    if (answer === 'ask-reason') {
      return refuse(await input.read({ prompt: 'reason: ', question: true, signal }));
    }
    if (answer !== undefined) return answer;
    screen.line('That is not one of the choices.');
  }
}

function describeChoices(question: PermissionQuestion, cut: boolean): string {
  const { alike = 0 } = question;
  const offers = offerKeys(question).map(({ key, text }) => `  ${key.padEnd(2)} ${text}`);
  if (question.about === 'agents-edit') {
    return ['  y  yes, in this session', ...offers, '  n  no: each change is asked for, in this session'].join('\n');
  }
  if (question.elicitation !== undefined) return elicitationChoices(question.elicitation);
  if (question.about === 'skill-grants') {
    return ['  y  yes, and in later sessions, until the skill changes', '  n  no: it is followed without that'].join(
      '\n',
    );
  }
  if (question.about === 'memory-snapshot') return ['  y  yes, take them', '  n  no, keep mine'].join('\n');
  return [
    'Allow it?',
    '  y  yes, once',
    ...offers,
    '  n  no',
    '  r  no, with a reason (or: n and the reason)',
    ...(alike > 0 ? [`  y+ or n+  the same for the ${alike} others that ask exactly this`] : []),
    ...(cut ? ['  w  show the whole'] : []),
  ].join('\n');
}

type OfferKey = OfferChoice & { readonly key: string };

/** `a` and `p` are the narrowest rule, `a2` and `p2` the next one; `e` is all edits. */
function offerKeys(question: PermissionQuestion): readonly OfferKey[] {
  return offerChoices(question).map((offered) => {
    const { choice, rank = 1 } = offered;
    if (choice.kind !== 'rule') return { ...offered, key: choice.kind === 'mode' ? 'e' : 'a' };
    return { ...offered, key: `${choice.where === 'local' ? 'p' : 'a'}${rank > 1 ? rank : ''}` };
  });
}

/** Undefined if it is not one of the choices: only an explicit yes allows anything. */
function readAnswer(line: string, question: PermissionQuestion): PermissionAnswer | 'ask-reason' | undefined {
  const said = line.trim();
  const reason = /^no?[\s,:]+(.+)$/is.exec(said)?.[1];
  if (reason !== undefined) return { behavior: 'deny', reason };
  const together = said.endsWith('+') && (question.alike ?? 0) > 0;
  const forAll = together ? { together } : {};
  const word = (together ? said.slice(0, -1) : said).toLowerCase();
  switch (word) {
    case 'y':
    case 'yes':
      return { behavior: 'allow', ...forAll };
    case 'n':
    case 'no':
      return { behavior: 'deny', ...forAll };
    case 'r':
      return question.about === undefined ? 'ask-reason' : undefined;
    default: {
      const chosen = offerKeys(question).find(({ key }) => key === word);
      return chosen === undefined ? undefined : { behavior: 'allow', always: [chosen.choice] };
    }
  }
}
