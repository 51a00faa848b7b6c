/** A session that is resumed: the end of its conversation, what was interrupted, and how to go on (TU-25). */

import type { DurableEvent } from '../../../protocol/events.js';
import { describePast } from '../../view/describe/describe-past.js';
import { ItemFold } from '../../view/items/item-fold.js';
import type { Conversation } from '../app/conversation.js';

/** Several screens of text. */
const BYTES = 64 * 1024;

export async function tellPast({ session, teller, ui }: Conversation): Promise<void> {
  const { past, id } = session;
  if (past === undefined) return;
  const { events, isCut } = await session.lastOfConversation(BYTES);
  const key = ui.keymap.keyOf('app:toggleTranscript');
  if (isCut) teller.lines(ui.theme.dim(`… earlier: ${key}`));
  const fold = new ItemFold();
  for (const { event } of events) {
    if (!SAID.has(event.kind)) continue;
    // What is in force was read, so it is told where it was said.
    for (const item of fold.take(event, undefined)) teller.tell(item);
  }
  teller.forgetPrompt();
  const [first = '', ...rest] = describePast(id, { ...past, prompt: undefined, reply: undefined });
  teller.lines(ui.theme.dim(first));
  for (const line of rest) teller.say('info', line);
  if (past.cutOff !== undefined) ui.hint('enter goes on where it was interrupted', 10_000);
}

const SAID: ReadonlySet<DurableEvent['kind']> = new Set<DurableEvent['kind']>([
  'input-admitted',
  'assistant-replied',
  'call-finished',
  'history-compacted',
  'run-ended',
]);
