/**
 * Output of a line-based session: one stream of lines that only grows, for screen readers and dumb terminals. Output is
 * held while the user types, so that their line stays intact.
 */

export type ScreenStream = { write(text: string): unknown };

/** `end` ends an unfinished line. */
type Piece = { readonly kind: 'text' | 'line' | 'end'; readonly text: string };

export class Screen {
  readonly #stream: ScreenStream;
  #held: Piece[] | undefined;
  #atLineStart = true;
  /** Called around each write, so that the prompt can be hidden and shown again. */
  aroundWrite: { before(): void; after(): void } = { before: () => {}, after: () => {} };

  constructor(stream: ScreenStream) {
    this.#stream = stream;
  }

  get atLineStart(): boolean {
    return this.#atLineStart;
  }

  /** Continues where the last text ended. */
  write(text: string): void {
    if (text !== '') this.#put({ kind: 'text', text });
  }

  /** Writes one or more complete lines. */
  line(text: string): void {
    this.#put({ kind: 'line', text });
  }

  /** Ends an unfinished line. */
  endLine(): void {
    this.#put({ kind: 'end', text: '' });
  }

  /** The user's Enter moved the cursor to a new line. */
  lineBroken(): void {
    this.#atLineStart = true;
  }

  hold(): void {
    this.#held ??= [];
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const piece of held) this.#put(piece);
  }

  /** Writes even while output is held; for the prompt itself. */
  writeRaw(text: string): void {
    this.#stream.write(text);
  }

  #put(piece: Piece): void {
    if (this.#held !== undefined) {
      this.#held.push(piece);
      return;
    }
    this.aroundWrite.before();
    const start = piece.kind !== 'text' && !this.#atLineStart ? '\n' : '';
    const text = piece.kind === 'line' ? `${start}${piece.text}\n` : `${start}${piece.text}`;
    if (text !== '') this.#stream.write(text);
    this.#atLineStart = text === '' ? this.#atLineStart : text.endsWith('\n');
    this.aroundWrite.after();
  }
}
