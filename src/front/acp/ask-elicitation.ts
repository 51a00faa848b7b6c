/** A question of an MCP server: passed on where the editor takes such forms; otherwise only what a yes or no answers. */

import type { ElicitationSchema } from '@agentclientprotocol/sdk';
import { escapeControls, escapeToLine } from '../../protocol/escape-controls.js';
import type { ElicitationForm } from '../../protocol/mcp/elicitation-form.js';
import type { PermissionAnswer } from '../../protocol/permission.js';
import { type Asking, requestElicitation, requestPermission } from './editor.js';
import { textContent } from './tool-calls.js';

export async function askElicitation(
  asking: Asking,
  form: ElicitationForm,
  toolCallId: string,
  signal: AbortSignal,
): Promise<PermissionAnswer> {
  const { elicitation } = asking.editor.capabilities;
  const message = escapeControls(`${form.server}: ${form.message}`);
  const scope = { sessionId: asking.session, toolCallId, message };
  if (form.mode === 'url' && !elicitation?.url) return askYesOrNo(asking, form, scope, form.url, signal);
  if (form.mode === 'form' && !elicitation?.form) {
    if (form.fields.length === 0) return askYesOrNo(asking, form, scope, '', signal);
    asking.updates.say('warning', `${message} (this editor has no forms, so it was not answered)`);
    return { behavior: 'deny', cancel: true };
  }
  const request =
    form.mode === 'url'
      ? { ...scope, mode: 'url' as const, url: form.url, elicitationId: toolCallId }
      : { ...scope, mode: 'form' as const, requestedSchema: form.schema as ElicitationSchema };
  const { action, content } = await requestElicitation(asking.editor, request, signal);
  // The editor has the URL, if it is about one: it opens it itself.
  if (action === 'accept') return { behavior: 'allow', updatedInput: content ?? {} };
  return action === 'decline' ? { behavior: 'deny' } : { behavior: 'deny', cancel: true };
}

async function askYesOrNo(
  { editor, session }: Asking,
  { mode }: ElicitationForm,
  { toolCallId, message }: { readonly toolCallId: string; readonly message: string },
  more: string,
  signal: AbortSignal,
): Promise<PermissionAnswer> {
  const toolCall = {
    toolCallId,
    title: escapeToLine(message),
    kind: 'other' as const,
    status: 'pending' as const,
    content: more === '' ? [] : [textContent(escapeToLine(more))],
  };
  const yes = mode === 'url' ? 'Open this page' : 'Yes';
  const chosen = await requestPermission(
    editor,
    {
      sessionId: session,
      toolCall,
      options: [
        { optionId: 'allow', name: yes, kind: 'allow_once' },
        { optionId: 'reject', name: 'No', kind: 'reject_once' },
      ],
    },
    signal,
  );
  if (chosen === 'allow') return mode === 'url' ? { behavior: 'allow' } : { behavior: 'allow', updatedInput: {} };
  return chosen === 'reject' ? { behavior: 'deny' } : { behavior: 'deny', cancel: true };
}
