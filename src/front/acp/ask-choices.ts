/** Asks a question with choices as a permission request with options. */

import type { PermissionOption, ToolCallUpdate } from '@agentclientprotocol/sdk';
import type { PermissionAnswer } from '../../protocol/permission.js';
import type { ChoiceEffect, QuestionChoice } from '../questions/question-description.js';
import { type Asking, requestPermission } from './editor.js';

/** Choices that need further input have no button. `dismissed`: the answer if none was chosen. */
export async function askChoices(
  { editor, session }: Asking,
  choices: readonly QuestionChoice<ChoiceEffect>[],
  toolCall: ToolCallUpdate,
  dismissed: PermissionAnswer,
  signal: AbortSignal,
): Promise<PermissionAnswer> {
  const buttons = choices.flatMap(({ button, effect }) =>
    button !== undefined && effect.kind === 'answer' ? [{ ...button, answer: effect.answer }] : [],
  );
  const options = buttons.map(
    ({ id, name, answer }): PermissionOption => ({ optionId: id, name, kind: kindOf(answer) }),
  );
  const chosen = await requestPermission(editor, { sessionId: session, toolCall, options }, signal);
  if (chosen === undefined) return dismissed;
  const button = buttons.find(({ id }) => id === chosen);
  if (button !== undefined) return button.answer;
  // Only an explicit yes allows anything.
  throw new Error(`the editor chose ${JSON.stringify(chosen.slice(0, 80))}, which was not offered`);
}

function kindOf(answer: PermissionAnswer): PermissionOption['kind'] {
  if (answer.behavior === 'deny') return 'reject_once';
  return answer.always === undefined ? 'allow_once' : 'allow_always';
}
