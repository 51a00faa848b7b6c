/** A session that is resumed: the end of its conversation, what was interrupted, and how to go on (TU-25). */

import type { PastSession } from '../../../engine/past-session.js';
import { stripToLine } from '../../../gate/permissions/strip-controls.js';
import type { DurableEvent } from '../../../protocol/events.js';
import { parseBlock } from '../../../protocol/frozen-block.js';
import { describePast } from '../../view/describe/describe-past.js';
import type { Item } from '../../view/items/item.js';
import { ItemFold } from '../../view/items/item-fold.js';
import type { Conversation } from '../app/conversation.js';
import type { Ui } from '../app/ui.js';

/** Several screens of text. */
const BYTES = 64 * 1024;

export async function printPast({ session, printer, ui }: Conversation): Promise<void> {
  const { past, id } = session;
  if (past === undefined) return;
  const { events, isCut } = await session.lastOfConversation(BYTES);
  const fold = new ItemFold();
  const unread = new Set(past.queue.map(({ seq }) => seq));
  // What is in force was read, so it is told where it was said.
  const said = events
    .filter(({ event, seq }) => SAID.has(event.kind) && !unread.has(seq))
    .flatMap(({ event }) => fold.take(event, undefined));
  const items = said.map(lastOf);
  const last = await printer.lastRows(items, ui.screen.size.rows);
  const key = ui.keymap.keyOf('app:toggleTranscript');
  const isShort = isCut || last.isCut || items.some((item, index) => item !== said[index]);
  if (isShort) printer.lines(ui.theme.dim(`… earlier: ${key}`));
  if (last.rows.length > 0) printer.lines(last.rows.join('\n'));
  const [first = '', ...rest] = describePast(id, { ...past, prompt: undefined, reply: undefined });
  printer.lines(ui.theme.dim(first));
  for (const line of rest) printer.say('info', line);
  for (const line of howToGoOn(past, ui)) printer.say('info', line);
}

function howToGoOn({ cutOff, agents, queue, resumesAgents }: PastSession, { keymap }: Ui): readonly string[] {
  // What is held has a row of its own.
  const unread = queue.filter(({ held }) => !held).flatMap(({ blocks }) => blocks.map(parseBlock));
  const words = unread.flatMap((block) => (block.type === 'text' ? [stripToLine(block.text)] : []));
  const enter = keymap.keyOf('chat:submit');
  return [
    ...words.map((text) => `not read yet: ${text}`),
    ...(cutOff === undefined ? [] : [`${enter}, with nothing typed, says "go on"`]),
    ...(agents.length === 0 || resumesAgents ? [] : [`${keymap.keyOf('app:toggleTodos')}, then r, resumes an agent`]),
  ];
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
