/** A word to the person that goes away by itself: what a second press would do, what was copied. */

const SHOWN_MS = 4_000;

export class Note {
  #text = '';
  #until = 0;

  say(text: string, now: number, ms = SHOWN_MS): void {
    this.#text = text;
    this.#until = now + ms;
  }

  clear(): void {
    this.#until = 0;
  }

  /** Empty if there is nothing to say any more. */
  at(now: number): string {
    return now < this.#until ? this.#text : '';
  }
}
