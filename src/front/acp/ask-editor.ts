/** Puts the questions of any agent to the editor, and reads what was chosen. */

import type { ToolCallUpdate } from '@agentclientprotocol/sdk';
import { stripControls } from '../../gate/permissions/strip-controls.js';
import { aborted } from '../../host/clock.js';
import { escapeControls, escapeToLine } from '../../protocol/escape-controls.js';
import { MAIN_AGENT } from '../../protocol/events.js';
import type { AskPermission, PermissionAnswer, PermissionQuestion } from '../../protocol/permission.js';
import type { QuestionDescription } from '../questions/question-description.js';
import { describeQuestion } from '../questions/question-kinds.js';
import { member } from '../view/describe/describe-call.js';
import { askChoices } from './ask-choices.js';
import { askFields } from './ask-fields.js';
import { askOptions } from './ask-options.js';
import type { Asking } from './editor.js';
import { fenced, textContent } from './tool-calls.js';

/** `asking` is there once the session is. */
export function askEditor(asking: () => Asking): AskPermission {
  return async (question, signal) => {
    const at = asking();
    const described = describeQuestion(question);
    const asked = showQuestion(at, question, described);
    // The editor knows the call before it is asked about it.
    await at.outbox.flushed();
    let isAllowed = false;
    try {
      const answer = await ask(at, described, asked, signal);
      isAllowed = answer.behavior === 'allow';
      return answer;
    } catch (error) {
      // Nobody is there: the session is being left, and what it was about can be asked again when it is resumed.
      if (at.editor.gone.aborted) await aborted(signal);
      throw error;
    } finally {
      // Of the others the end of their call is reported.
      if (described.call === 'none') at.updates.endAsked(question.call.id, isAllowed);
    }
  };
}

/** By how it is answered. */
function ask(
  at: Asking,
  question: QuestionDescription,
  asked: ToolCallUpdate,
  signal: AbortSignal,
): Promise<PermissionAnswer> {
  switch (question.form) {
    case 'choose':
      return askChoices(at, question.choices(), asked, DISMISSED, signal);
    case 'fields':
      return askFields(at, question, asked.toolCallId, signal);
    case 'options':
      return askOptions(at, question.asked, asked, signal);
    default:
      return question satisfies never;
  }
}

const DISMISSED: PermissionAnswer = { behavior: 'deny', reason: 'the question was dismissed in the editor' };

function showQuestion(
  { updates }: Asking,
  question: PermissionQuestion,
  described: QuestionDescription,
): ToolCallUpdate {
  const { agent, destroys } = question;
  const asked = updates.showAsked(question, whoAsks(agent), described.title);
  const words = [
    ...(described.call !== 'judged' || asked.content?.length ? [] : [fenced(exactInput(question.call))]),
    ...about(question, described),
    ...(agent.task === undefined ? [] : [`For: ${escapeToLine(agent.task)}`]),
    ...destroys.map((mark) => `**${escapeToLine(mark)}**`),
  ];
  return {
    ...asked,
    content: [...(asked.content ?? []), ...(words.length === 0 ? [] : [textContent(words.join('\n\n'))])],
  };
}

/** The document it is about, or else the reason. */
function about({ reason }: PermissionQuestion, described: QuestionDescription): readonly string[] {
  if (described.form === 'choose' && described.document !== undefined) return [stripControls(described.document.text)];
  if (reason === '') return [];
  return [described.call === 'none' ? escapeToLine(reason) : `Asked because ${escapeToLine(reason)}`];
}

/** A title is short, and not every editor shows the raw input. */
function exactInput({ tool, input }: PermissionQuestion['call']): string {
  const command = tool === 'Bash' ? member(input, 'command') : undefined;
  return escapeControls(typeof command === 'string' ? command : JSON.stringify(input, null, 2));
}

function whoAsks({ id, type, name }: PermissionQuestion['agent']): string {
  if (id === MAIN_AGENT) return '';
  return escapeToLine(name === undefined ? `${type} (${id})` : `${name} (${type})`);
}
