/** Opens the draft in the user's editor. */

import { join } from 'node:path';
import { coppiceHome } from '../../../config/paths.js';
import { stripControls } from '../../../gate/permissions/strip-controls.js';
import type { Conversation } from '../app/conversation.js';

export async function editDraft(conversation: Conversation): Promise<void> {
  const { ui } = conversation;
  const text = await editExternally(conversation, ui.editor.text);
  if (text === undefined) return;
  ui.editor.set(text);
  ui.paint();
}

/** Undefined: the text is unchanged, and the user has seen why. */
export async function editExternally(
  { ui, host }: Pick<Conversation, 'ui' | 'host'>,
  text: string,
): Promise<string | undefined> {
  const { editText } = await import('./external-programs.js');
  const edited = await ui.screen.release(() => editText(host, join(coppiceHome(host.env), 'edited'), text));
  if (edited.ok) return edited.text;
  ui.hint(stripControls(edited.reason), 6_000);
  return undefined;
}
