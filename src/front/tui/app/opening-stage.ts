/** The stage while the session opens: you can already type. Submitted text is queued. */

import { stripToLine } from '../../../gate/permissions/strip-controls.js';
import type { KeyEvent } from '../input/key-event.js';
import type { Frame, Size } from '../screen/frame.js';
import { clip } from '../screen/width.js';
import { editKey } from './edit-key.js';
import { liveFrame } from './live-frame.js';
import type { Stage, Ui } from './ui.js';

export class OpeningStage implements Stage {
  readonly #ui: Ui;
  readonly #leave: (code: number) => void;
  /** Submitted text, in order. */
  readonly prompts: string[] = [];

  constructor(ui: Ui, leave: (code: number) => void, firstPrompt: string | undefined) {
    this.#ui = ui;
    this.#leave = leave;
    if (firstPrompt?.trim()) this.prompts.push(firstPrompt);
  }

  frame(size: Size, now: number): Frame {
    const { theme, note } = this.#ui;
    const none = () => [];
    return liveFrame(
      {
        tail: none,
        working: none,
        tree: none,
        menu: none,
        question: () => ({ rows: [] }),
        queue: () =>
          this.prompts.map((text) =>
            theme.dim(clip(`  queued: ${stripToLine(text.split('\n')[0] ?? '')}`, size.columns - 1)),
          ),
        editor: (width, most) => this.#ui.editorFrame(width, most, theme.accent('> ')),
        status: () => [theme.dim(note.at(now) || 'opening …')],
      },
      size,
    );
  }

  press(event: KeyEvent): void {
    const { editor, keymap, screen } = this.#ui;
    const found = event.kind === 'key' ? keymap.resolve('editor', event) : undefined;
    const action = found !== undefined && 'action' in found ? found.action : undefined;
    if (action === 'chat:submit') {
      if (editor.text.trim() !== '') this.prompts.push(editor.text);
      editor.set('');
    } else if (action === 'app:interrupt' || action === 'app:exit') {
      if (editor.isEmpty) this.#leave(0);
      else editor.set('');
    } else if (action === 'app:suspend') screen.suspend();
    else editKey(editor, event, action);
  }

  isTicking(): boolean {
    return false;
  }
}
