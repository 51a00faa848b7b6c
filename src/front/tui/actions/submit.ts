/** What Enter does with the editor's text: a prompt, a command, a shell line, a line to remember. */

import { isOwnLine } from '../../commands/is-command.js';
import { type Conversation, isWorking, mainOf } from '../app/conversation.js';
import { runOwn } from './own-line.js';
import { sendPrompt, type When } from './send-prompt.js';
import { runTyped } from './typed-command.js';

export function submit(conversation: Conversation, when: When): void {
  const { ui, history } = conversation;
  const { text, images } = ui.editor;
  if (text.trim() === '' && images.length === 0) return void sendHeld(conversation);
  history.add(text);
  ui.editor.set('');
  if (isOwnLine(text)) return void runOwn(conversation, text);
  if (text.startsWith('/')) return void runTyped(conversation, text, when);
  void sendPrompt(conversation, text, when, images);
}

/** After an interruption, what was sent for the end of the turn waits for this. */
function sendHeld(conversation: Conversation): void {
  const { session } = conversation;
  if (isWorking(conversation) || (mainOf(conversation)?.queue.length ?? 0) === 0) return;
  void session.execute({ type: 'send-held' });
}
