/** Puts the picture of the clipboard into the prompt. */

import { stripControls } from '../../../gate/permissions/strip-controls.js';
import type { Conversation } from '../app/conversation.js';

export async function pasteImage({ ui, host }: Conversation): Promise<void> {
  const { readImage } = await import('../input/clipboard.js');
  const found = await readImage(host);
  if (typeof found === 'string') return ui.hint(stripControls(found), 6_000);
  ui.editor.attachImage(found);
  ui.paint();
}
