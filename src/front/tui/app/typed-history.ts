/** What the person typed, in this session and earlier ones: ↑ and ↓ go through it; a draft survives a crash (TU-18). */

import type { PromptHistoryFile } from '../../../session/store/prompt-history.js';
import type { Editor } from '../input/editor/editor.js';
import { PromptHistory } from '../input/prompt-history.js';

export class TypedHistory {
  readonly #file: PromptHistoryFile;
  #entries = new PromptHistory([]);
  #draft = '';

  constructor(file: PromptHistoryFile) {
    this.#file = file;
  }

  get all(): PromptHistory {
    return this.#entries;
  }

  /** What was typed in earlier sessions, and what was being typed when this one ended. */
  async load(): Promise<string | undefined> {
    const [entries, draft] = await Promise.all([this.#file.entries(), this.#file.draft()]);
    this.#entries = new PromptHistory([...entries, ...this.#entries.entries]);
    return draft;
  }

  add(text: string): void {
    if (text.trim() === '') return;
    this.#entries.add(text);
    void this.#file.add(text);
    this.keepDraft('');
  }

  previous(editor: Editor): boolean {
    return take(editor, this.#entries.previous(editor.text));
  }

  next(editor: Editor): boolean {
    return take(editor, this.#entries.next());
  }

  keepDraft(text: string): void {
    if (text === this.#draft) return;
    this.#draft = text;
    void this.#file.saveDraft(text);
  }
}

function take(editor: Editor, text: string | undefined): boolean {
  if (text === undefined) return false;
  editor.set(text);
  return true;
}
