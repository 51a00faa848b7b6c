/** What Enter does with the editor's text: a prompt, a command, a shell line, a line to remember. */

import { stripUnsafe } from '../../../gate/permissions/strip-unsafe.js';
import { MAIN_AGENT } from '../../../protocol/events.js';
import { type Conversation, isWorking, mainOf } from './conversation.js';
import { remember } from './remember.js';
import { runShellLine } from './shell-line.js';
import { runTyped } from './typed-command.js';

/** `next`: read at the next safe point; `after`: when the turn has ended. */
export type When = 'next' | 'after';

export function submit(conversation: Conversation, when: When): void {
  const { ui, history } = conversation;
  const { text, images } = ui.editor;
  if (text.trim() === '' && images.length === 0) return sendHeld(conversation);
  history.add(text);
  ui.editor.set('');
  if (text.startsWith('!') && text.length > 1) return void runShellLine(conversation, text.slice(1).trim());
  if (text.startsWith('#') && text.length > 1) return void remember(conversation, text.slice(1).trim());
  if (text.startsWith('/')) return void runTyped(conversation, text, when);
  void sendPrompt(conversation, text, when, images);
}

export async function sendPrompt(
  { ui, session, pending, teller }: Conversation,
  text: string,
  when: When,
  images: readonly { readonly media_type: string; readonly data: string }[] = [],
): Promise<void> {
  const { sending } = pending;
  // Two prompts may have the same words.
  const words = sending.has(text) ? `${text} ` : text;
  sending.add(words);
  ui.paint();
  let ended = false;
  const stop = session.watch(({ agent, event }) => {
    if (agent !== MAIN_AGENT) return;
    if (event.kind === 'input-admitted' && event.origin === 'person') sending.delete(words);
    if (event.kind === 'run-ended') ended = true;
  });
  const attached = images.map(({ media_type, data }) => imageBlock(media_type, data));
  const end = await session.execute({
    type: 'prompt',
    content: text,
    when,
    ...(attached.length === 0 ? {} : { attached }),
  });
  stop();
  sending.delete(words);
  // A prompt that never became a run (refused by a hook, not saved) has no event that tells of it.
  if (!ended && end.line !== undefined) teller.say('error', stripUnsafe(end.line));
  ui.paint();
}

function imageBlock(media_type: string, data: string) {
  return { type: 'image', source: { type: 'base64', media_type, data } } as const;
}

/** After an interruption, what was sent for the end of the turn waits for this. */
function sendHeld(conversation: Conversation): void {
  const { session } = conversation;
  if (isWorking(conversation) || (mainOf(conversation)?.queue.length ?? 0) === 0) return;
  void session.execute({ type: 'send-held' });
}
