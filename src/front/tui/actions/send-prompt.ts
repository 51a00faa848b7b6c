/** Sends a prompt: on record before anything runs, a row of its own until it is read (TU-22). */

import { stripUnsafe } from '../../../gate/permissions/strip-unsafe.js';
import type { ImageBlock } from '../../../protocol/blocks.js';
import { MAIN_AGENT } from '../../../protocol/events.js';
import type { Conversation } from '../app/conversation.js';
import type { Image } from '../input/editor/cells.js';

/** `next`: read at the next safe point; `after`: when the turn has ended. */
export type When = 'next' | 'after';

export async function sendPrompt(
  { ui, session, pending, teller }: Conversation,
  text: string,
  when: When,
  images: readonly Image[] = [],
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
  const turn = session.execute({
    type: 'prompt',
    content: text,
    when,
    ...(attached.length === 0 ? {} : { attached }),
  });
  pending.turns.add(turn);
  const end = await turn;
  pending.turns.delete(turn);
  stop();
  sending.delete(words);
  // A prompt that never became a run (refused by a hook, not saved) has no event that tells of it.
  if (!ended && end.line !== undefined) teller.say('error', stripUnsafe(end.line));
  ui.paint();
}

function imageBlock(media_type: string, data: string): ImageBlock {
  return {
    type: 'image',
    source: { type: 'base64', media_type: media_type as ImageBlock['source']['media_type'], data },
  };
}
