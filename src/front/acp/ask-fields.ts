/** A form of an MCP server: passed on where the editor takes such forms; otherwise only what a yes or no answers. */

import type { ElicitationSchema } from '@agentclientprotocol/sdk';
import { escapeControls, escapeToLine } from '../../protocol/escape-controls.js';
import type { PermissionAnswer } from '../../protocol/permission.js';
import { CANCELLED, DECLINED } from '../questions/fields.js';
import type { FieldsQuestion } from '../questions/question-description.js';
import { askChoices } from './ask-choices.js';
import { type Asking, requestElicitation } from './editor.js';
import { textContent } from './tool-calls.js';

export async function askFields(
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
      asking.updates.say('warning', `${message} (this editor has no forms, so it was not answered)`);
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
  // The editor has the URL, if it is about one: it opens it itself.
  if (action === 'accept') return { behavior: 'allow', updatedInput: content ?? {} };
  return action === 'decline' ? DECLINED : CANCELLED;
}
