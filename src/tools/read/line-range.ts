/** Extracts a range of lines from chunks of bytes, and counts all lines. */

const NEWLINE = 0x0a;
/** A model may ask for a million lines; more than this is never held in memory. */
const MAX_KEPT_BYTES = 1024 * 1024;

export class LineRange {
  /** Lines seen so far. After `end`: the number of lines in the file. */
  lines = 0;
  readonly #first: number;
  readonly #limit: number;
  readonly #maxChars: number;
  readonly #kept: { readonly bytes: Buffer; readonly length: number }[] = [];
  #parts: Buffer[] = [];
  #partBytes = 0;
  #lineBytes = 0;
  #keptBytes = 0;

  constructor(first: number, limit: number, maxChars: number) {
    this.#first = first;
    this.#limit = limit;
    this.#maxChars = maxChars;
  }

  get kept(): number {
    return this.#kept.length;
  }

  get full(): boolean {
    return this.#kept.length >= this.#limit || this.#keptBytes > MAX_KEPT_BYTES;
  }

  add(piece: Buffer): void {
    let from = 0;
    while (from < piece.length) {
      const newline = piece.indexOf(NEWLINE, from);
      const to = newline === -1 ? piece.length : newline;
      this.#extend(piece, from, to);
      if (newline === -1) return;
      this.#close();
      from = newline + 1;
    }
  }

  /** Counts a last line without a newline. */
  end(): void {
    if (this.#lineBytes > 0) this.#close();
  }

  *texts(encoding: 'utf8' | 'latin1'): Generator<string> {
    for (const { bytes, length } of this.#kept) {
      const whole = bytes.length === length;
      const text = bytes.toString(encoding);
      const line = whole && text.endsWith('\r') ? text.slice(0, -1) : text;
      if (whole && line.length <= this.#maxChars) yield line;
      else yield `${line.slice(0, this.#maxChars)}… (line cut: ${length} bytes)`;
    }
  }

  get #wanted(): boolean {
    return this.lines + 1 >= this.#first && !this.full;
  }

  #extend(piece: Buffer, from: number, to: number): void {
    if (to === from) return;
    // At most four bytes per character: enough for the cut, however long the line is.
    const room = this.#maxChars * 4 + 4 - this.#partBytes;
    if (this.#wanted && room > 0) {
      const part = Buffer.from(piece.subarray(from, Math.min(to, from + room)));
      this.#parts.push(part);
      this.#partBytes += part.length;
    }
    this.#lineBytes += to - from;
  }

  #close(): void {
    if (this.#wanted) {
      this.#kept.push({ bytes: Buffer.concat(this.#parts), length: this.#lineBytes });
      this.#keptBytes += this.#partBytes;
    }
    this.lines += 1;
    this.#parts = [];
    this.#partBytes = 0;
    this.#lineBytes = 0;
  }
}
