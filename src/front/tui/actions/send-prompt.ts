/** Sends a prompt: recorded before anything runs, shown in its own row until it is read (TU-22). */

import { stripControls } from '../../../gate/permissions/strip-controls.js';
import type { ImageBlock } from '../../../protocol/blocks.js';
import { MAIN_AGENT } from '../../../protocol/events.js';
import type { Conversation } from '../app/conversation.js';
import type { Image } from '../input/editor/cells.js';

/** `next`: read at the next safe point; `after`: when the turn has ended. */
export type When = 'next' | 'after';

export async function sendPrompt(
  { ui, session, pending, printer, host, typed }: Conversation,
  text: string,
  when: When,
  images: readonly Image[] = [],
): Promise<void> {
  const { sending } = pending;
  const key = `typed ${host.newId()}`;
  sending.set(key, text);
  ui.paint();
  let isAdmitted = false;
  let hasEnded = false;
  const stop = session.watch(({ agent, event }) => {
    if (agent !== MAIN_AGENT) return;
    if (event.kind === 'input-admitted' && event.key === key) isAdmitted = sending.delete(key);
    if (event.kind === 'run-ended') hasEnded = isAdmitted;
  });
  const attached = images.map(({ media_type, data }) => imageBlock(media_type, data));
  const turn = session.execute({
    type: 'prompt',
    content: text,
    key,
    when,
    ...(attached.length === 0 ? {} : { attached }),
  });
  pending.turns.add(turn);
  const end = await turn;
  pending.turns.delete(turn);
  stop();
  sending.delete(key);
  // A prompt that never became a run (rejected, not saved) has no event that reports it.
  if (!hasEnded && end.line !== undefined) printer.say('error', stripControls(end.line));
  // Its text is in the history: only images would be lost.
  if (!isAdmitted && images.length > 0 && ui.editor.isEmpty) {
    ui.editor.set(text);
    for (const image of images) ui.editor.attachImage(image);
  }
  ui.paint();
  typed.onIdle();
}

function imageBlock(media_type: string, data: string): ImageBlock {
  return {
    type: 'image',
    source: { type: 'base64', media_type: media_type as ImageBlock['source']['media_type'], data },
  };
}
