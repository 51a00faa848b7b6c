/** What Enter does with the editor's text: a prompt, a command, a shell line, a line to remember. */

import { isShellOrNote } from '../../commands/is-command.js';
import { type Conversation, isWorking, mainOf } from '../app/conversation.js';
import { sendPrompt, type When } from './send-prompt.js';
import { runShellOrNote } from './shell-and-note-line.js';
import { runTyped } from './typed-command.js';
import { writeTo, writtenTo } from './write-to.js';

export function submit(conversation: Conversation, when: When): void {
  const { ui, history } = conversation;
  const { text, images } = ui.editor;
  if (text.trim() === '' && images.length === 0) return void goOn(conversation);
  history.add(text);
  ui.editor.set('');
  if (isShellOrNote(text)) return void runShellOrNote(conversation, text);
  if (text.startsWith('/')) return void runTyped(conversation, text, when);
  const written = writtenTo(conversation, text);
  if (written !== undefined) return void writeTo(conversation, written);
  void sendPrompt(conversation, text, when, images);
}

/** After an interruption, what was sent for the end of the turn waits for this; so does work that a crash has cut off. */
function goOn(conversation: Conversation): void {
  const { session, pending } = conversation;
  if (isWorking(conversation)) return;
  if (mainOf(conversation)?.queue.some(({ held }) => held)) return void session.execute({ type: 'send-held' });
  if (!pending.isCutOff) return;
  pending.isCutOff = false;
  void sendPrompt(conversation, GO_ON, 'next');
}

const GO_ON = 'go on';
