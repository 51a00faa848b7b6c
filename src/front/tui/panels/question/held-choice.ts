/** The key that chooses, while it is held: it counts when its time has come and nothing else was typed. */

import type { AnswerGuard } from '../../input/answer-guard.js';
import type { NamedKey } from '../../input/key-event.js';

type Timing = {
  readonly guard: AnswerGuard;
  readonly later: (ms: number, run: () => void) => () => void;
  readonly now: () => number;
};

export class HeldChoice {
  readonly #timing: Timing;
  #cancel = () => {};

  constructor(timing: Timing) {
    this.#timing = timing;
  }

  wait(choose: (press: NamedKey) => void): void {
    const { guard, now } = this.#timing;
    this.#ringAfter(guard.wait(now()) ?? 0, false, choose);
  }

  cancel(): void {
    this.#cancel();
  }

  #ringAfter(ms: number, isLast: boolean, choose: (press: NamedKey) => void): void {
    const { guard, now, later } = this.#timing;
    this.#cancel = later(ms, () => {
      const left = guard.wait(now());
      if (left === undefined) return;
      // The program may have been busy: what was typed meanwhile is read before this counts.
      if (left > 0 || !isLast) return this.#ringAfter(left, left === 0, choose);
      const press = guard.due(now());
      if (press !== undefined) choose(press);
    });
  }
}
