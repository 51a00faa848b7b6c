/** Asks the questions of any agent in the editor, and reads the answers. */

import type { ElicitationSchema, ToolCallUpdate } from '@agentclientprotocol/sdk';
import { stripControls } from '../../gate/permissions/strip-controls.js';
import { aborted } from '../../host/clock.js';
import { escapeControls, escapeToLine } from '../../protocol/escape-controls.js';
import { MAIN_AGENT } from '../../protocol/events.js';
import type { AskPermission, PermissionAnswer, PermissionQuestion } from '../../protocol/permission.js';
import { CANCELLED, DECLINED } from '../questions/fields.js';
import type { FieldsQuestion, QuestionDescription } from '../questions/question-description.js';
import { describeQuestion } from '../questions/question-kinds.js';
import { member } from '../view/describe/describe-call.js';
import { askChoices } from './ask-choices.js';
import { askOptions } from './ask-options.js';
import { type Asking, requestElicitation } from './editor.js';
import { fenced, textContent } from './tool-calls.js';

/** `asking` is available once the session is. */
export function askEditor(asking: () => Asking): AskPermission {
  return async (question, signal) => {
    const at = asking();
    const described = describeQuestion(question);
    const asked = showQuestion(at, question, described);
    // The editor gets the call before the question about it.
    await at.outbox.flushed();
    let isAllowed = false;
    try {
      const answer = await ask(at, described, asked, signal);
      isAllowed = answer.behavior === 'allow';
      return answer;
    } catch (error) {
      // The editor is gone: the session is closing, and can ask again when it is resumed.
      if (at.editor.gone.aborted) await aborted(signal);
      throw error;
    } finally {
      // For other questions, the end of the call is reported.
      if (described.call === 'none') at.updates.endAsked(question.call.id, isAllowed);
    }
  };
}

/** Dispatches by the form of the answer. */
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

/** Its document, or else its reason. */
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

/** A form of an MCP server: passed on if the editor supports forms; otherwise only yes-or-no questions are asked. */
async function askFields(
  asking: Asking,
  question: FieldsQuestion,
  toolCallId: string,
  signal: AbortSignal,
): Promise<PermissionAnswer> {
  const form = question.asked;
  const { elicitation } = asking.editor.capabilities;
  const message = escapeControls(`${form.server}: ${form.message}`);
  const canShow = form.mode === 'url' ? elicitation?.url : elicitation?.form;
  if (!canShow) {
    if (form.mode === 'form' && form.fields.length > 0) {
      asking.updates.say('warning', `${message} (not answered: this editor has no forms)`);
      return CANCELLED;
    }
    const toolCall = {
      toolCallId,
      title: escapeToLine(message),
      kind: 'other' as const,
      status: 'pending' as const,
      content: form.mode === 'url' ? [textContent(escapeToLine(form.url))] : [],
    };
    return askChoices(asking, question.choices(), toolCall, CANCELLED, signal);
  }
  const scope = { sessionId: asking.session, toolCallId, message };
  const request =
    form.mode === 'url'
      ? { ...scope, mode: 'url' as const, url: form.url, elicitationId: toolCallId }
      : { ...scope, mode: 'form' as const, requestedSchema: form.schema as ElicitationSchema };
  const { action, content } = await requestElicitation(asking.editor, request, signal);
  // For a URL, the editor opens the page itself.
  if (action === 'accept') return { behavior: 'allow', updatedInput: content ?? {} };
  return action === 'decline' ? DECLINED : CANCELLED;
}
