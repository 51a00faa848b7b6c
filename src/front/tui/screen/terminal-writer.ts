/**
 * What is written to the terminal, in order, without waiting for it: a terminal that does not read must not hold up the
 * agents. Node writes to a terminal synchronously otherwise. How much waits is known, and nothing is lost at the end.
 */

import { writeSync } from 'node:fs';
import { type Cancel, type Clock, realClock } from '../../../host/clock.js';

export type TerminalWriterOptions = {
  readonly output: NodeJS.WriteStream;
  /** Everything has been written after something had to wait. */
  readonly onDrained: () => void;
  /** The terminal is gone: nothing can be written any more. */
  readonly onLost: () => void;
  readonly clock?: Clock;
};

/** A terminal that is read takes more within this time; one that is not is asked ever less often. */
const FIRST_WAIT_MS = 1;
const LONGEST_WAIT_MS = 50;
/** How long a terminal that takes nothing is waited for at the end. */
const LAST_WORDS_MS = 300;

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

  /** Without blocking from now on; `true` before another program gets the terminal. */
  setBlocking(isBlocking: boolean): void {
    // No public way to it: without, a write waits for the terminal, as Node has it.
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

/** The process is about to end, or gives the terminal away: nothing else may happen meanwhile. */
function sleepNow(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
