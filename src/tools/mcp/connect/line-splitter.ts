/** Splits a stream into lines. A line beyond the limit is dropped while it comes, never kept (MC-6). */

/** How much of the start and of the end of a dropped line is told. */
const SHOWN = 512;

type Ends = {
  readonly line: (line: string) => void;
  /** With its first and last characters. */
  readonly dropped: (start: string, end: string) => void;
};

export class LineSplitter {
  readonly #limit: number;
  readonly #ends: Ends;
  #pieces: Buffer[] = [];
  #bytes = 0;
  /** Of a line that is being dropped. */
  #start: string | undefined;
  #end: Buffer = Buffer.alloc(0);

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
    this.#bytes += piece.length;
    if (this.#start !== undefined) {
      this.#end = lastOf(Buffer.concat([this.#end, lastOf(piece)]));
      return;
    }
    this.#pieces.push(piece);
    if (this.#bytes <= this.#limit) return;
    const whole = Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#start = whole.toString('utf8', 0, SHOWN);
    this.#end = lastOf(whole);
  }

  #finish(): void {
    const start = this.#start;
    const end = this.#end.toString('utf8');
    const pieces = this.#pieces;
    this.#pieces = [];
    this.#bytes = 0;
    this.#start = undefined;
    this.#end = Buffer.alloc(0);
    if (start !== undefined) this.#ends.dropped(start, end);
    else if (pieces.length > 0) this.#ends.line(Buffer.concat(pieces).toString('utf8'));
  }
}

/** A copy: a part would keep the whole alive. */
function lastOf(bytes: Buffer): Buffer {
  return Buffer.from(bytes.subarray(-SHOWN));
}
