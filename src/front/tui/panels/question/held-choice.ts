/** The key that chooses, while it is held: it counts when its time has come and nothing else was typed. */

import type { AnswerGuard } from '../../input/answer-guard.js';
import type { KeyPress } from '../../input/press.js';

type Timing = {
  readonly guard: AnswerGuard;
  readonly later: (ms: number, run: () => void) => () => void;
  readonly now: () => number;
};

/** A timer that rings later than this was held up: a key may wait to be read. */
const LATE_MS = 20;

export class HeldChoice {
  readonly #timing: Timing;
  #dueAt = 0;
  #cancel = () => {};

  constructor(timing: Timing) {
    this.#timing = timing;
  }

  wait(choose: (press: KeyPress) => void): void {
    const { guard, now } = this.#timing;
    const wait = guard.wait(now()) ?? 0;
    this.#dueAt = now() + wait;
    this.#ringAfter(wait, false, choose);
  }

  cancel(): void {
    this.#cancel();
  }

  #ringAfter(ms: number, isLast: boolean, choose: (press: KeyPress) => void): void {
    const { guard, now, later } = this.#timing;
    this.#cancel = later(ms, () => {
      const left = guard.wait(now());
      if (left === undefined) return;
      const isLate = now() - this.#dueAt > LATE_MS;
      // The program was busy: what was typed meanwhile is read before this counts.
      if (left > 0 || (isLate && !isLast)) return this.#ringAfter(left, isLate, choose);
      const press = guard.due(now());
      if (press !== undefined) choose(press);
    });
  }
}
