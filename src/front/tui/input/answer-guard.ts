/**
 * Keeps typing from answering a question (TU-15). Keys choose only after 500 ms without one; with a draft, only after Tab
 * and another such pause. A key that chooses is held for 200 ms, and is text if another comes before. Pure: time is passed in.
 */

import type { KeyEvent, NamedKey } from './key-event.js';

/** Pause in typing before a key may choose. */
export const QUIET_MS = 500;
/** Time a choosing key waits for another, which would make both text. */
export const HOLD_MS = 200;

/** The effect of a key on the question: choose, only navigate (scroll, highlight), or none. */
export type KeyRole = 'choice' | 'move' | 'none';

export type Verdict =
  /** Takes effect at once: it answers nothing. */
  | { readonly kind: 'act' }
  /** Chooses when it is `due`. */
  | { readonly kind: 'held' }
  /** Goes to the editor, after the held key. */
  | { readonly kind: 'text'; readonly held: NamedKey | undefined };

export class AnswerGuard {
  #typedAt = Number.NEGATIVE_INFINITY;
  #pressedAt = Number.NEGATIVE_INFINITY;
  /** Time since when the question is readable. */
  #shownAt: number | undefined;
  #hasFocus = false;
  #held: { readonly event: NamedKey; readonly at: number } | undefined;

  /** A question is on the screen, complete enough to be answered. Repeated calls change nothing. */
  show(now: number): void {
    this.#shownAt ??= now;
  }

  /** No question, or another one: earlier keys don't apply to it. */
  hide(): void {
    this.#shownAt = undefined;
    this.#hasFocus = false;
    this.#held = undefined;
  }

  /** The question offers other choices now: they must be read first. */
  turn(): void {
    this.#shownAt = undefined;
    this.#held = undefined;
  }

  /** The user turned to the question (Tab): the pause starts over. */
  focus(now: number): void {
    this.typed(now);
    this.#hasFocus = true;
  }

  get hasFocus(): boolean {
    return this.#hasFocus;
  }

  /** A key that went elsewhere. */
  typed(now: number): void {
    this.wrote(now);
    this.#hasFocus = false;
  }

  /** A key that was typed into the question's own field. */
  wrote(now: number): void {
    this.#typedAt = now;
    this.#pressedAt = now;
    this.#held = undefined;
  }

  take(
    event: KeyEvent,
    now: number,
    { role, hasDraft }: { readonly role: KeyRole; readonly hasDraft: boolean },
  ): Verdict {
    const pause = now - this.#pressedAt;
    const held = this.#held?.event;
    const mayChoose = held === undefined && this.#isReady(now, hasDraft);
    if (mayChoose && role === 'move') {
      this.#pressedAt = now;
      return { kind: 'act' };
    }
    if (mayChoose && role === 'choice' && event.kind === 'key' && pause >= HOLD_MS) {
      this.#pressedAt = now;
      this.#held = { event, at: now };
      return { kind: 'held' };
    }
    this.typed(now);
    return { kind: 'text', held };
  }

  /** Returns the held key once it is due: it chooses. */
  due(now: number): NamedKey | undefined {
    const held = this.#held;
    if (held === undefined || now - held.at < HOLD_MS) return undefined;
    this.#held = undefined;
    return held.event;
  }

  /** Time until then; undefined if no key is held. */
  wait(now: number): number | undefined {
    return this.#held === undefined ? undefined : Math.max(0, this.#held.at + HOLD_MS - now);
  }

  #isReady(now: number, hasDraft: boolean): boolean {
    if (this.#shownAt === undefined || (hasDraft && !this.#hasFocus)) return false;
    return now - this.#shownAt >= QUIET_MS && now - this.#typedAt >= QUIET_MS;
  }
}
