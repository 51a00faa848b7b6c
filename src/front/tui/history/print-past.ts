/** Prints a resumed session: the end of its conversation, what was interrupted, and how to continue (TU-25). */

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
  // Everything in force was read, so it is shown at its place.
  const shown = events
    .filter(({ event, seq }) => SHOWN_KINDS.has(event.kind) && !unread.has(seq))
    .flatMap(({ event }) => fold.take(event, undefined));
  const items = shown.map(lastOf);
  const last = await printer.lastRows(items, ui.screen.size.rows);
  const key = ui.keymap.keyOf('app:toggleTranscript');
  const isShort = isCut || last.isCut || items.some((item, index) => item !== shown[index]);
  if (isShort) printer.lines(ui.theme.dim(`… earlier: ${key}`));
  if (last.rows.length > 0) printer.lines(last.rows.join('\n'));
  const toContinue = `Press ${ui.keymap.keyOf('chat:submit')} to continue, or type something else.`;
  const [first = '', ...rest] = describePast(id, { ...past, prompt: undefined, reply: undefined }, toContinue);
  printer.lines(ui.theme.dim(first));
  for (const line of rest) printer.say('info', line);
  for (const line of openWork(past, ui)) printer.say('info', line);
}

function openWork({ agents, queue, resumesAgents }: PastSession, { keymap }: Ui): readonly string[] {
  // Held messages have their own rows.
  const unread = queue.filter(({ held }) => !held).flatMap(({ blocks }) => blocks.map(parseBlock));
  const words = unread.flatMap((block) => (block.type === 'text' ? [stripToLine(block.text)] : []));
  return [
    ...words.map((text) => `unread: ${text}`),
    ...(agents.length === 0 || resumesAgents ? [] : [`${keymap.keyOf('app:toggleTodos')}, then r: resume an agent`]),
  ];
}

/** The end of a very long reply, from the start of a paragraph. */
function lastOf(item: Item): Item {
  if (item.kind !== 'text' || item.text.length <= BYTES) return item;
  const from = item.text.indexOf('\n\n', item.text.length - BYTES);
  return { ...item, text: item.text.slice(from < 0 ? -BYTES : from + 2) };
}

const SHOWN_KINDS: ReadonlySet<DurableEvent['kind']> = new Set<DurableEvent['kind']>([
  'input-admitted',
  'assistant-replied',
  'call-finished',
  'history-compacted',
  'run-ended',
]);
