/** The keyboard of a played session: the script types, the person's keys count where they are asked. */

import { Readable } from 'node:stream';
import { newAbort, realClock } from '../../../host/clock.js';
import { isInterrupt } from './demo-progress.js';

/** Readable, and a little slower than a good typist. */
const KEY_MS = 26;

/** The program has ended: nothing is to be typed any more. */
export class PlayEnded extends Error {}

export class PlayedKeys extends Readable {
  readonly isTTY = true;
  /** Whether what the person presses goes through. */
  isOpen = false;
  /** When the person last pressed a key that counted. */
  #lastAt = Number.NEGATIVE_INFINITY;
  readonly #keyboard: NodeJS.ReadStream;
  readonly #end = newAbort();

  constructor(keyboard: NodeJS.ReadStream) {
    super();
    this.#keyboard = keyboard;
    keyboard.on('data', (data: Buffer) => this.#take(data.toString('utf8')));
  }

  setRawMode(isRaw: boolean): this {
    this.#keyboard.setRawMode(isRaw);
    return this;
  }

  override resume(): this {
    this.#keyboard.resume();
    return super.resume();
  }

  override pause(): this {
    this.#keyboard.pause();
    return super.pause();
  }

  hasPressedSince(time: number): boolean {
    return this.#lastAt >= time;
  }

  /** As a person types it, key by key. */
  async type(text: string): Promise<void> {
    for (const key of text) {
      this.push(key);
      await this.rest(KEY_MS);
    }
  }

  /** Rejects with `PlayEnded` once the play has ended. */
  async rest(ms: number): Promise<void> {
    await realClock.sleep(ms, this.#end.signal);
    if (this.#end.signal.aborted) throw new PlayEnded();
  }

  end(): void {
    this.#end.abort();
  }

  override _read(): void {}

  #take(data: string): void {
    if (isInterrupt(data)) process.kill(process.pid, 'SIGINT');
    else if (ANSWER.test(data)) this.push(data);
    else if (this.isOpen) {
      this.#lastAt = realClock.elapsed();
      this.push(data);
    }
  }
}

/** The terminal answers what it was asked, and tells of its focus. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: answers begin with one.
const ANSWER = /^\u001b(\]|\[\?|\[[IO]$)/;
