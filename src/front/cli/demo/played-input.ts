/** The keyboard of a played session: the script types; your keys pass while a question is open. */

import { Readable } from 'node:stream';
import { newAbort, realClock } from '../../../host/clock.js';
import type { Session } from '../../sdk/session.js';
import { isInterrupt } from './demo-screen.js';

/** A little slower than a good typist, to be readable. */
const KEY_MS = 26;
/** How long until the question is answered for you. */
const ANSWER_MS = 3_000;

export class PlayedInput extends Readable {
  readonly isTTY = true;
  #isOpen = false;
  /** When you last pressed a key that passed. */
  #lastAt = Number.NEGATIVE_INFINITY;
  readonly #keyboard: NodeJS.ReadStream;
  readonly #end = newAbort();

  constructor(keyboard: NodeJS.ReadStream) {
    super({ read: () => {} });
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

  type(text: string): Promise<void> {
    return this.press([...text], KEY_MS);
  }

  async press(keys: readonly string[], pauseMs = 0): Promise<void> {
    for (const key of keys) {
      this.push(key);
      await this.rest(pauseMs);
    }
  }

  /** Never resolves once the program has ended, so that nothing more is typed. */
  async rest(ms: number): Promise<void> {
    await realClock.sleep(ms, this.#end.signal);
    if (this.#end.signal.aborted) await new Promise(() => {});
  }

  end(): void {
    this.#end.abort();
  }

  /** Lets your keys pass while a question is open. Without any, it is answered for you. */
  answerQuestions(session: Session): void {
    session.watch(({ event }) => {
      if (event.kind === 'question-settled') this.#isOpen = session.questions().length > 0;
      if (event.kind !== 'question-asked') return;
      this.#isOpen = true;
      const since = realClock.elapsed();
      void this.rest(ANSWER_MS).then(() => {
        const isOpen = session.questions().some(({ id }) => id === event.question.id);
        if (isOpen && this.#lastAt < since) this.push('1');
      });
    });
  }

  #take(data: string): void {
    if (isInterrupt(data)) process.kill(process.pid, 'SIGINT');
    else if (ANSWER.test(data)) this.push(data);
    else if (this.#isOpen) {
      this.#lastAt = realClock.elapsed();
      this.push(data);
    }
  }
}

/** Answers of the terminal to queries, and focus reports. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: answers begin with one.
const ANSWER = /^\u001b(\]|\[\?|\[[IO]$)/;
