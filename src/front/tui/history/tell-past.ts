/** A session that is resumed: the end of its conversation, what was interrupted, and how to go on (TU-25). */

import type { DurableEvent } from '../../../protocol/events.js';
import { describePast } from '../../view/describe/describe-past.js';
import type { Item } from '../../view/items/item.js';
import { ItemFold } from '../../view/items/item-fold.js';
import type { Conversation } from '../app/conversation.js';

/** Several screens of text. */
const BYTES = 64 * 1024;

export async function tellPast({ session, teller, ui }: Conversation): Promise<void> {
  const { past, id } = session;
  if (past === undefined) return;
  const { events, isCut } = await session.lastOfConversation(BYTES);
  const key = ui.keymap.keyOf('app:toggleTranscript');
  const fold = new ItemFold();
  // What is in force was read, so it is told where it was said.
  const said = events.flatMap(({ event }) => (SAID.has(event.kind) ? fold.take(event, undefined) : []));
  const items = said.map(lastOf);
  if (isCut || items.some((item, index) => item !== said[index])) teller.lines(ui.theme.dim(`… earlier: ${key}`));
  for (const item of items) teller.tell(item);
  const [first = '', ...rest] = describePast(id, { ...past, prompt: undefined, reply: undefined });
  teller.lines(ui.theme.dim(first));
  for (const line of rest) teller.say('info', line);
  if (past.cutOff !== undefined) ui.hint('enter goes on where it was interrupted', 10_000);
}

/** Of a very long reply its end, from a paragraph on: nobody reads the rest in passing. */
function lastOf(item: Item): Item {
  if (item.kind !== 'text' || item.text.length <= BYTES) return item;
  const from = item.text.indexOf('\n\n', item.text.length - BYTES);
  return { ...item, text: item.text.slice(from < 0 ? -BYTES : from + 2) };
}

const SAID: ReadonlySet<DurableEvent['kind']> = new Set<DurableEvent['kind']>([
  'input-admitted',
  'assistant-replied',
  'call-finished',
  'history-compacted',
  'run-ended',
]);
