/** Applies a key event to an editor, for every text field. */

import { type Action, editOf } from '../input/bindings/actions.js';
import type { Editor } from '../input/editor/editor.js';
import type { KeyEvent } from '../input/key-event.js';

/** Returns true if the key was for the editor. */
export function editKey(editor: Editor, event: KeyEvent, action: Action | undefined): boolean {
  if (event.kind === 'paste') {
    editor.paste(event.text);
    return true;
  }
  const edit = action === undefined ? undefined : (editOf(action) ?? EDITS[action]);
  if (edit !== undefined) return editor.act(edit);
  if (action !== undefined || event.kind !== 'key' || event.text === undefined) return false;
  editor.insert(event.text);
  return true;
}

const EDITS = {
  'chat:newline': 'newline',
  'chat:undo': 'undo',
  'chat:redo': 'redo',
  'task:backgroundOrLeft': 'left',
  'history:previous': 'up',
  'history:next': 'down',
} as Readonly<Record<string, 'newline' | 'undo' | 'redo' | 'left' | 'up' | 'down'>>;
