/**
 * Where a line-based session writes: one stream of lines that only grows, good for screen readers and dumb terminals.
 * While the person types, what comes is held, so that their line stays whole.
 */

export type ScreenStream = { write(text: string): unknown };

/** `end` ends a line that has begun. */
type Piece = { readonly kind: 'text' | 'line' | 'end'; readonly text: string };

export class Screen {
  readonly #stream: ScreenStream;
  #held: Piece[] | undefined;
  #atLineStart = true;
  /** Called around writing, so that a prompt can make room and come back. */
  aroundWrite: { before(): void; after(): void } = { before: () => {}, after: () => {} };

  constructor(stream: ScreenStream) {
    this.#stream = stream;
  }

  get atLineStart(): boolean {
    return this.#atLineStart;
  }

  /** Goes on where the last text ended. */
  write(text: string): void {
    if (text !== '') this.#put({ kind: 'text', text });
  }

  /** A line (or several) of its own. */
  line(text: string): void {
    this.#put({ kind: 'line', text });
  }

  /** Ends a line that has begun. */
  endLine(): void {
    this.#put({ kind: 'end', text: '' });
  }

  /** The cursor was moved to a new line by somebody else: the person's Enter. */
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

  /** Writes at once, held or not: for the prompt itself. */
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
