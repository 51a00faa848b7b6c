/** Withdraws the last unread message: back into the editor, to be changed (TU-22). */

import { stripControls } from '../../../gate/permissions/strip-controls.js';
import { type Conversation, mainOf } from '../app/conversation.js';

export async function withdrawLastMessage(conversation: Conversation): Promise<void> {
  const { ui, session, pending } = conversation;
  const last = mainOf(conversation)?.queue.at(-1);
  const command = pending.commands.pop();
  if (command !== undefined) return prependToDraft(conversation, command);
  if (last === undefined) return;
  const taken = await session.execute({ type: 'take-back', input: last.seq });
  if (!taken.ok) return ui.hint(stripControls(taken.reason));
  prependToDraft(
    conversation,
    taken.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n'),
  );
  for (const block of taken.content) {
    if (block.type !== 'image' || block.source.type !== 'base64') continue;
    const { media_type, data } = block.source;
    ui.editor.attachImage({ media_type, data, name: 'image' });
  }
}

/** Inserts the message before the draft. */
export function prependToDraft({ ui }: Conversation, text: string): void {
  const draft = ui.editor.text;
  ui.editor.set(draft === '' ? text : `${text}\n${draft}`);
  ui.paint();
}
