/** Prompts of before, for ↑ and ↓. What was being typed is kept and comes back after the newest. */

/** What is shown next: a prompt of before, or the draft. */
export type HistoryStep<Draft> =
  | { readonly kind: 'entry'; readonly text: string }
  | { readonly kind: 'draft'; readonly draft: Draft };

export class PromptHistory<Draft> {
  #entries: readonly string[];
  readonly #save: (text: string) => void;
  /** Which entry is shown, and the draft that it stands in place of. Undefined: the draft itself is shown. */
  #shown: { readonly at: number; readonly draft: Draft } | undefined;

  /** `entries`: oldest first. `save`: keeps a new one for the next session. */
  constructor(entries: readonly string[], save: (text: string) => void) {
    this.#entries = withoutDoubles(entries);
    this.#save = save;
  }

  /** Oldest first, each once. */
  get entries(): readonly string[] {
    return this.#entries;
  }

  /** Whether an entry is shown. */
  get isBack(): boolean {
    return this.#shown !== undefined;
  }

  /** The newest now. What has no words in it is not kept, and what was there before moves to the end. */
  add(text: string): void {
    this.#shown = undefined;
    if (text.trim() === '') return;
    const isNew = this.#entries.at(-1) !== text;
    this.#entries = [...this.#entries.filter((entry) => entry !== text), text];
    if (isNew) this.#save(text);
  }

  /** The entry before. `draft` is kept if it is what was shown until now. Undefined: there is none. */
  previous(draft: Draft): HistoryStep<Draft> | undefined {
    const at = (this.#shown?.at ?? this.#entries.length) - 1;
    const text = this.#entries[at];
    if (text === undefined) return undefined;
    this.#shown = { at, draft: this.#shown?.draft ?? draft };
    return { kind: 'entry', text };
  }

  /** The entry after; after the newest the draft. Undefined: the draft is shown already. */
  next(): HistoryStep<Draft> | undefined {
    if (this.#shown === undefined) return undefined;
    const { at, draft } = this.#shown;
    const text = this.#entries[at + 1];
    this.#shown = text === undefined ? undefined : { at: at + 1, draft };
    return text === undefined ? { kind: 'draft', draft } : { kind: 'entry', text };
  }

  /** An entry was changed and left: what came of it is one of its own, and the newest. Where one is stays as it is. */
  keep(text: string): void {
    if (text.trim() === '' || this.#entries.includes(text)) return;
    this.#entries = [...this.#entries, text];
    this.#save(text);
  }
}

/** Of equal ones the newest. */
function withoutDoubles(entries: readonly string[]): readonly string[] {
  return [...new Set([...entries].reverse())].reverse().filter((entry) => entry.trim() !== '');
}
