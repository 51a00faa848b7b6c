/** The effect of keys on a question's choices. */

import type { AnswerGuard, KeyRole } from '../../input/answer-guard.js';
import type { KeyEvent, NamedKey } from '../../input/key-event.js';
import type { Choice } from './question-form.js';

type Offered = {
  readonly choices: readonly Choice[];
  /** The index of a choice; undefined: none. */
  readonly highlight: number | undefined;
  readonly needsEnter: boolean;
};

/** The distance each moves the highlight. */
export const ARROWS: Readonly<Record<string, number>> = { up: -1, left: -1, down: 1, right: 1 };

export function isScroll(name: string): boolean {
  return name === 'pageup' || name === 'pagedown' || name === 'ctrl+up' || name === 'ctrl+down';
}

export function roleOf(event: KeyEvent, offered: Offered, canScroll: boolean): KeyRole {
  if (event.kind !== 'key') return 'none';
  const { name } = event;
  if (Object.hasOwn(ARROWS, name) || (canScroll && isScroll(name))) return 'move';
  if (meaningOf(name, offered) === undefined) return 'none';
  // Nobody types these into text.
  return name.startsWith('ctrl+') ? 'move' : 'choice';
}

/** The choice that a key means, and its effect. */
export function meaningOf(
  name: string,
  { choices, highlight, needsEnter }: Offered,
): { readonly index: number; readonly run: () => void } | undefined {
  const index = choices.findIndex(({ keys }) => keys.includes(name));
  const choice = choices[index];
  if (choice !== undefined) return { index, run: needsEnter && choice.isStep !== true ? () => {} : choice.pick };
  const highlighted = highlight === undefined ? undefined : choices[highlight];
  if (highlight === undefined || highlighted === undefined) return undefined;
  if (name === 'enter') return { index: highlight, run: highlighted.enter ?? highlighted.pick };
  return name === 'space' && highlighted.enter !== undefined ? { index: highlight, run: highlighted.pick } : undefined;
}

type Timing = {
  readonly guard: AnswerGuard;
  readonly later: (ms: number, run: () => void) => () => void;
  readonly now: () => number;
};

/** The choosing key while it is held: it takes effect when due, if nothing else was typed. */
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
      // The program may have been busy: pending input is read before this takes effect.
      if (left > 0 || !isLast) return this.#ringAfter(left, left === 0, choose);
      const press = guard.due(now());
      if (press !== undefined) choose(press);
    });
  }
}
