/** Prompts typed in this session and earlier ones: ↑ and ↓ browse them; a draft survives a crash (TU-18). */

import type { PromptHistoryFile } from '../../../session/store/prompt-history.js';
import type { Editor } from '../input/editor/editor.js';
import type { Draft } from '../input/editor/text-buffer.js';
import { type HistoryStep, PromptHistory } from '../input/prompt-history.js';

export class TypedHistory {
  readonly #file: PromptHistoryFile;
  #prompts: PromptHistory<Draft>;
  #draft = '';
  /** The entry in the editor, unmodified. */
  #shown: string | undefined;

  constructor(file: PromptHistoryFile) {
    this.#file = file;
    this.#prompts = this.#made([]);
  }

  /** Oldest first. */
  get entries(): readonly string[] {
    return this.#prompts.entries;
  }

  /** Loads prompts of earlier sessions, and the draft left by the last one. */
  async load(): Promise<string | undefined> {
    const [entries, draft] = await Promise.all([this.#file.entries(), this.#file.draft()]);
    this.#prompts = this.#made([...entries, ...this.#prompts.entries]);
    return draft;
  }

  add(text: string): void {
    this.#shown = undefined;
    this.#prompts.add(text);
    this.keepDraft('');
  }

  previous(editor: Editor): boolean {
    return this.#show(editor, this.#prompts.previous(editor.save()));
  }

  next(editor: Editor): boolean {
    return this.#show(editor, this.#prompts.next());
  }

  /** Called after each key. */
  keepDraft(text: string): void {
    if (text === this.#draft) return;
    this.#draft = text;
    void this.#file.saveDraft(text);
  }

  /** Leaving the session: an unsent draft stays in the history. */
  async close(text: string): Promise<void> {
    if (text.trim() !== '') await this.#file.add(text);
    await this.#file.saveDraft('');
  }

  /** A modified entry is saved when another one replaces it. */
  #show(editor: Editor, step: HistoryStep<Draft> | undefined): boolean {
    if (step === undefined) return false;
    const { text } = editor;
    if (this.#shown !== undefined && text !== this.#shown) this.#prompts.keep(text);
    this.#shown = step.kind === 'draft' ? undefined : step.text;
    if (step.kind === 'draft') editor.restore(step.draft);
    else editor.set(step.text);
    return true;
  }

  #made(entries: readonly string[]): PromptHistory<Draft> {
    return new PromptHistory<Draft>(entries, (text) => void this.#file.add(text));
  }
}
