/**
 * Writes to the terminal in order without waiting for it: a terminal that does not read must not block the agents. Node
 * writes to a terminal synchronously otherwise. The pending amount is known, and nothing is lost at the end.
 */

import { writeSync } from 'node:fs';
import { type Cancel, type Clock, realClock } from '../../../host/clock.js';

export type TerminalWriterOptions = {
  readonly output: NodeJS.WriteStream;
  /** Called when everything is written after a delay. */
  readonly onDrained: () => void;
  /** Called when the terminal is gone: writing is no longer possible. */
  readonly onLost: () => void;
  readonly clock?: Clock;
};

/** A terminal that is read takes more within this time; otherwise retries get less frequent. */
const FIRST_WAIT_MS = 1;
const LONGEST_WAIT_MS = 50;
/** How long to wait at the end for a terminal that takes nothing. */
const LAST_WORDS_MS = 2_000;

export class TerminalWriter {
  readonly #options: TerminalWriterOptions;
  readonly #clock: Clock;
  readonly #fd: number;
  #pieces: Buffer[] = [];
  #waiting = 0;
  #wait = FIRST_WAIT_MS;
  #cancel: Cancel | undefined;
  #isLost = false;

  constructor(options: TerminalWriterOptions) {
    this.#options = options;
    this.#clock = options.clock ?? realClock;
    this.#fd = (options.output as { fd?: number }).fd ?? 1;
  }

  /** Bytes that the terminal has not taken yet. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Turns blocking off; `true` before another program gets the terminal. */
  setBlocking(isBlocking: boolean): void {
    // There is no public API for it: without it, a write waits for the terminal, as usual in Node.
    const { _handle: handle } = this.#options.output as { _handle?: { setBlocking?: (isBlocking: boolean) => void } };
    handle?.setBlocking?.(isBlocking);
  }

  write(text: string): void {
    if (this.#isLost || text === '') return;
    const piece = Buffer.from(text);
    this.#pieces.push(piece);
    this.#waiting += piece.length;
    if (this.#cancel === undefined) this.#drain();
  }

  /** Waits until everything is written, or the terminal takes nothing for a while: then the rest is dropped. */
  flush(): void {
    let idle = 0;
    while (this.#waiting > 0 && idle < LAST_WORDS_MS) {
      const before = this.#waiting;
      this.#writeOnce();
      if (this.#waiting < before) idle = 0;
      else {
        sleepNow(FIRST_WAIT_MS);
        idle += FIRST_WAIT_MS;
      }
    }
    this.#clear();
  }

  #drain(): void {
    const before = this.#waiting;
    while (this.#waiting > 0 && this.#writeOnce());
    if (this.#waiting === 0) {
      this.#wait = FIRST_WAIT_MS;
      return;
    }
    this.#wait = this.#waiting < before ? FIRST_WAIT_MS : Math.min(this.#wait * 2, LONGEST_WAIT_MS);
    this.#cancel = this.#clock.after(this.#wait, () => {
      this.#cancel = undefined;
      this.#drain();
      if (this.#waiting === 0 && !this.#isLost) this.#options.onDrained();
    });
  }

  /** False if the terminal takes nothing now. */
  #writeOnce(): boolean {
    const piece = this.#pieces[0];
    if (piece === undefined) return false;
    try {
      const count = writeSync(this.#fd, piece);
      this.#waiting -= count;
      if (count === piece.length) this.#pieces.shift();
      else this.#pieces[0] = piece.subarray(count);
      return true;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EAGAIN' && code !== 'EINTR') this.#lose();
      return false;
    }
  }

  #lose(): void {
    this.#isLost = true;
    this.#clear();
    this.#options.onLost();
  }

  #clear(): void {
    this.#pieces = [];
    this.#waiting = 0;
    this.#cancel?.();
    this.#cancel = undefined;
  }
}

/** Blocks: the process is about to end or releases the terminal, and nothing else may happen meanwhile. */
function sleepNow(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
