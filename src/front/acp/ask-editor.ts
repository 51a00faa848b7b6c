/** Puts the questions of any agent to the editor, and reads what was chosen. */

import type { PermissionOption, ToolCallUpdate } from '@agentclientprotocol/sdk';
import { stripControls } from '../../gate/permissions/strip-controls.js';
import { aborted } from '../../host/clock.js';
import { escapeControls, escapeToLine } from '../../protocol/escape-controls.js';
import { MAIN_AGENT } from '../../protocol/events.js';
import type {
  AskPermission,
  PermissionAnswer,
  PermissionChoice,
  PermissionQuestion,
} from '../../protocol/permission.js';
import { member } from '../view/describe/describe-call.js';
import { describeOffer } from '../view/describe/describe-question.js';
import { askElicitation } from './ask-elicitation.js';
import { askPersonQuestions } from './ask-questions.js';
import { type Asking, requestPermission } from './editor.js';
import { fenced, textContent } from './tool-calls.js';

/** `asking` is there once the session is. */
export function askEditor(asking: () => Asking): AskPermission {
  return async (question, signal) => {
    const at = asking();
    const asked = showQuestion(at, question);
    // The editor knows the call before it is asked about it.
    await at.outbox.flushed();
    let isAllowed = false;
    try {
      const answer = await ask(at, question, asked, signal);
      isAllowed = answer.behavior === 'allow';
      return answer;
    } catch (error) {
      // Nobody is there: the session is being left, and what it was about can be asked again when it is resumed.
      if (at.editor.gone.aborted) await aborted(signal);
      throw error;
    } finally {
      if (!isAboutCall(question)) at.updates.endAsked(question.call.id, isAllowed);
    }
  };
}

function ask(
  at: Asking,
  question: PermissionQuestion,
  asked: ToolCallUpdate,
  signal: AbortSignal,
): Promise<PermissionAnswer> {
  if (question.elicitation !== undefined) return askElicitation(at, question.elicitation, asked.toolCallId, signal);
  if (question.questions !== undefined) return askPersonQuestions(at, question.questions, asked, signal);
  return askAbout(at, question, asked, signal);
}

/** Of the others no call tells the end. */
function isAboutCall({ about }: PermissionQuestion): boolean {
  return about === undefined || about === 'plan' || about === 'questions';
}

function showQuestion({ updates }: Asking, question: PermissionQuestion): ToolCallUpdate {
  const { agent, reason, destroys, plan } = question;
  const asked = updates.showAsked(question, whoAsks(agent), isAboutCall(question) ? undefined : titleOf(question));
  const words = [
    ...(question.about !== undefined || asked.content?.length ? [] : [fenced(exactInput(question.call))]),
    ...(plan === undefined ? [] : [stripControls(plan.text)]),
    ...(plan !== undefined || reason === '' ? [] : [why(question)]),
    ...(agent.task === undefined ? [] : [`For: ${escapeToLine(agent.task)}`]),
    ...destroys.map((mark) => `**${escapeToLine(mark)}**`),
  ];
  return {
    ...asked,
    content: [...(asked.content ?? []), ...(words.length === 0 ? [] : [textContent(words.join('\n\n'))])],
  };
}

function why(question: PermissionQuestion): string {
  const reason = escapeToLine(question.reason);
  return isAboutCall(question) ? `Asked because ${reason}` : reason;
}

/** A title is short, and not every editor shows the raw input. */
function exactInput({ tool, input }: PermissionQuestion['call']): string {
  const command = tool === 'Bash' ? member(input, 'command') : undefined;
  return escapeControls(typeof command === 'string' ? command : JSON.stringify(input, null, 2));
}

/** Not about a call: the question itself is the title. */
function titleOf({ about, cwd, reason }: PermissionQuestion): string {
  if (about === 'agents-edit') return `May agents change files in ${escapeToLine(cwd)} without asking for each change?`;
  return escapeToLine(reason.split('\n')[0] ?? reason);
}

function whoAsks({ id, type, name }: PermissionQuestion['agent']): string {
  if (id === MAIN_AGENT) return '';
  return escapeToLine(name === undefined ? `${type} (${id})` : `${name} (${type})`);
}

async function askAbout(
  { editor, session }: Asking,
  question: PermissionQuestion,
  toolCall: ToolCallUpdate,
  signal: AbortSignal,
): Promise<PermissionAnswer> {
  const offered = offers(question);
  const options: PermissionOption[] = [
    { optionId: 'allow', name: nameOfYes(question), kind: 'allow_once' },
    ...offered.map(({ id, name }) => ({ optionId: id, name, kind: 'allow_always' as const })),
    { optionId: 'reject', name: question.plan === undefined ? 'No' : 'No, go on planning', kind: 'reject_once' },
  ];
  const chosen = await requestPermission(editor, { sessionId: session, toolCall, options }, signal);
  if (chosen === 'allow') return { behavior: 'allow' };
  const always = offered.find(({ id }) => id === chosen);
  if (always !== undefined) return { behavior: 'allow', always: [always.choice] };
  if (chosen === undefined) return { behavior: 'deny', reason: 'the question was dismissed in the editor' };
  if (chosen === 'reject') return { behavior: 'deny' };
  // Only an explicit yes allows anything.
  throw new Error(`the editor chose ${JSON.stringify(chosen.slice(0, 80))}, which was not offered`);
}

function nameOfYes({ plan, about }: PermissionQuestion): string {
  if (plan !== undefined) return 'Yes, and ask about each change';
  if (about === 'agents-edit') return 'Yes, in this session';
  return about === undefined ? 'Yes, once' : 'Yes';
}

type Offered = { readonly id: string; readonly name: string; readonly choice: PermissionChoice };

function offers(question: PermissionQuestion): readonly Offered[] {
  return question.offers.flatMap((offer, index): readonly Offered[] => {
    const id = `always-${index + 1}`;
    if (offer.kind === 'agents-edit')
      return [{ id, name: upper(describeOffer(offer, 'session')), choice: { kind: 'agents-edit' } }];
    if (offer.kind === 'mode') return [{ id, name: upper(`yes, ${describeOffer(offer, 'session')}`), choice: offer }];
    const { kind, rule } = offer;
    return offer.where.map((where) => ({
      id: `${id}-${where}`,
      // Each says it all: an editor may show them in any order.
      name: upper(describeOffer({ ...offer, where: [where] }, where)),
      choice: { kind, rule, where },
    }));
  });
}

function upper(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
