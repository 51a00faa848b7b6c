/** Splits a stream into lines. A line beyond the limit is dropped as it arrives, never held in memory (MC-6). */

/** How much of the start and the end of a dropped line is reported. */
const SHOWN = 512;

type Ends = {
  readonly line: (line: string) => void;
  /** With its first and last characters. */
  readonly dropped: (start: string, end: string) => void;
};

export class LineSplitter {
  readonly #limit: number;
  readonly #ends: Ends;
  /** The first `bytes` of the current line. The buffer grows by doubling, so that tiny pieces cost no more. */
  #kept: Buffer = NOTHING;
  #bytes = 0;
  /** The start of a line that is being dropped; the buffer then holds its end. */
  #start: string | undefined;

  constructor(limit: number, ends: Ends) {
    this.#limit = limit;
    this.#ends = ends;
  }

  push(chunk: Buffer): void {
    let from = 0;
    for (;;) {
      const at = chunk.indexOf(10, from);
      if (at < 0) break;
      this.#take(chunk.subarray(from, at));
      this.#finish();
      from = at + 1;
    }
    if (from < chunk.length) this.#take(chunk.subarray(from));
  }

  #take(piece: Buffer): void {
    if (this.#start !== undefined) {
      this.#kept = lastOf(Buffer.concat([this.#kept, piece.subarray(-SHOWN)]));
      return;
    }
    const bytes = this.#bytes + piece.length;
    if (bytes > this.#kept.length) {
      const grown = Buffer.allocUnsafe(Math.max(bytes, 2 * this.#kept.length));
      this.#kept.copy(grown, 0, 0, this.#bytes);
      this.#kept = grown;
    }
    piece.copy(this.#kept, this.#bytes);
    this.#bytes = bytes;
    if (bytes <= this.#limit) return;
    const whole = this.#kept.subarray(0, bytes);
    this.#start = whole.toString('utf8', 0, SHOWN);
    this.#kept = lastOf(whole);
  }

  #finish(): void {
    const start = this.#start;
    const kept = this.#kept.toString('utf8', 0, start === undefined ? this.#bytes : undefined);
    this.#kept = NOTHING;
    this.#bytes = 0;
    this.#start = undefined;
    if (start !== undefined) this.#ends.dropped(start, kept);
    else if (kept !== '') this.#ends.line(kept);
  }
}

const NOTHING = Buffer.alloc(0);

/** A copy: a slice would keep the whole buffer alive. */
function lastOf(bytes: Buffer): Buffer {
  return Buffer.from(bytes.subarray(-SHOWN));
}
