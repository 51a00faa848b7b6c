/** A session that is resumed: the end of its conversation, what was interrupted, and how to go on (TU-25). */

import type { PastSession } from '../../../engine/past-session.js';
import { stripToLine } from '../../../gate/permissions/strip-unsafe.js';
import type { DurableEvent } from '../../../protocol/events.js';
import { parseBlock } from '../../../protocol/frozen-block.js';
import { describePast } from '../../view/describe/describe-past.js';
import { ItemFold } from '../../view/items/item-fold.js';
import type { Conversation } from '../app/conversation.js';
import type { Ui } from '../app/ui.js';

/** Several screens of text. */
const BYTES = 64 * 1024;

export async function tellPast({ session, teller, ui }: Conversation): Promise<void> {
  const { past, id } = session;
  if (past === undefined) return;
  const { events, isCut } = await session.lastOfConversation(BYTES);
  const key = ui.keymap.keyOf('app:toggleTranscript');
  if (isCut) teller.lines(ui.theme.dim(`… earlier: ${key}`));
  const fold = new ItemFold();
  const unread = new Set(past.queue.map(({ seq }) => seq));
  for (const { event, seq } of events) {
    if (!SAID.has(event.kind) || unread.has(seq)) continue;
    // What is in force was read, so it is told where it was said.
    for (const item of fold.take(event, undefined)) teller.tell(item);
  }
  teller.forgetPrompt();
  const [first = '', ...rest] = describePast(id, { ...past, prompt: undefined, reply: undefined });
  teller.lines(ui.theme.dim(first));
  for (const line of rest) teller.say('info', line);
  for (const line of howToGoOn(past, ui)) teller.say('info', line);
}

function howToGoOn({ cutOff, agents, queue, resumesAgents }: PastSession, { keymap }: Ui): readonly string[] {
  const words = queue
    .flatMap(({ blocks }) => blocks.map(parseBlock))
    .flatMap((block) => {
      return block.type === 'text' ? [stripToLine(block.text)] : [];
    });
  const enter = keymap.keyOf('chat:submit');
  return [
    ...words.map((text) => `not read yet: ${text}`),
    ...(cutOff === undefined ? [] : [`${enter}, with nothing typed, says "go on"`]),
    ...(agents.length === 0 || resumesAgents ? [] : [`${keymap.keyOf('app:toggleTodos')}, then r, resumes an agent`]),
  ];
}

const SAID: ReadonlySet<DurableEvent['kind']> = new Set<DurableEvent['kind']>([
  'input-admitted',
  'assistant-replied',
  'call-finished',
  'history-compacted',
  'run-ended',
]);
