/** Earlier prompts, for ↑ and ↓. The draft is saved and returns after the newest. */

/** The next text to show: an earlier prompt, or the draft. */
export type HistoryStep<Draft> =
  | { readonly kind: 'entry'; readonly text: string }
  | { readonly kind: 'draft'; readonly draft: Draft };

export class PromptHistory<Draft> {
  #entries: readonly string[];
  readonly #save: (text: string) => void;
  /** The shown entry, and the draft it replaces. Undefined: the draft itself is shown. */
  #shown: { readonly at: number; readonly draft: Draft } | undefined;

  /** `entries`: oldest first. `save`: stores a new one for the next session. */
  constructor(entries: readonly string[], save: (text: string) => void) {
    this.#entries = withoutDoubles(entries);
    this.#save = save;
  }

  /** Oldest first, each once. */
  get entries(): readonly string[] {
    return this.#entries;
  }

  /** True if an entry is shown. */
  get isBack(): boolean {
    return this.#shown !== undefined;
  }

  /** Adds the newest. Blank text is not stored, and a duplicate moves to the end. */
  add(text: string): void {
    this.#shown = undefined;
    if (text.trim() === '') return;
    const isNew = this.#entries.at(-1) !== text;
    this.#entries = [...this.#entries.filter((entry) => entry !== text), text];
    if (isNew) this.#save(text);
  }

  /** The previous entry. `draft` is saved if it was shown until now. Undefined: there is none. */
  previous(draft: Draft): HistoryStep<Draft> | undefined {
    const at = (this.#shown?.at ?? this.#entries.length) - 1;
    const text = this.#entries[at];
    if (text === undefined) return undefined;
    this.#shown = { at, draft: this.#shown?.draft ?? draft };
    return { kind: 'entry', text };
  }

  /** The next entry; after the newest, the draft. Undefined: the draft is shown already. */
  next(): HistoryStep<Draft> | undefined {
    if (this.#shown === undefined) return undefined;
    const { at, draft } = this.#shown;
    const text = this.#entries[at + 1];
    this.#shown = text === undefined ? undefined : { at: at + 1, draft };
    return text === undefined ? { kind: 'draft', draft } : { kind: 'entry', text };
  }

  /** An entry was edited and left: the result is a new entry, the newest. The position stays. */
  keep(text: string): void {
    if (text.trim() === '' || this.#entries.includes(text)) return;
    this.#entries = [...this.#entries, text];
    this.#save(text);
  }
}

/** Keeps the newest of equal entries. */
function withoutDoubles(entries: readonly string[]): readonly string[] {
  return [...new Set([...entries].reverse())].reverse().filter((entry) => entry.trim() !== '');
}
