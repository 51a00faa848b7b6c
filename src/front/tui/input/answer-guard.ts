/**
 * Keeps typing from answering a question (TU-15). Keys choose only after 500 ms without one, with a draft only after Tab and
 * the same pause again; a key that chooses is held for 200 ms, and is text if another comes before. Pure: the time is given.
 */

import type { KeyEvent, NamedKey } from './key-event.js';

/** So long nobody types before a key may choose. */
export const QUIET_MS = 500;
/** So long a key that chooses waits for another, which would make both text. */
export const HOLD_MS = 200;

/** What a press would do to the question: choose, only look around (scroll, highlight), or nothing. */
export type KeyRole = 'choice' | 'move' | 'none';

export type Verdict =
  /** It does what it does, at once: it answers nothing. */
  | { readonly kind: 'act' }
  /** It chooses when it is `due`. */
  | { readonly kind: 'held' }
  /** It is for the editor, after the one that was held. */
  | { readonly kind: 'text'; readonly held: NamedKey | undefined };

export class AnswerGuard {
  #typedAt = Number.NEGATIVE_INFINITY;
  #pressedAt = Number.NEGATIVE_INFINITY;
  /** Since when the question can be read. */
  #shownAt: number | undefined;
  #hasFocus = false;
  #held: { readonly event: NamedKey; readonly at: number } | undefined;

  /** A question stands on the screen, whole enough to be answered. Said again, it changes nothing. */
  show(now: number): void {
    this.#shownAt ??= now;
  }

  /** Nothing is asked any more, or something else: no key of before counts for it. */
  hide(): void {
    this.#shownAt = undefined;
    this.#hasFocus = false;
    this.#held = undefined;
  }

  /** The same question offers something else now: it is to be read first. */
  turn(): void {
    this.#shownAt = undefined;
    this.#held = undefined;
  }

  /** The person turned to the question (Tab): from here on the pause counts anew. */
  focus(now: number): void {
    this.typed(now);
    this.#hasFocus = true;
  }

  get hasFocus(): boolean {
    return this.#hasFocus;
  }

  /** A press that went elsewhere. */
  typed(now: number): void {
    this.wrote(now);
    this.#hasFocus = false;
  }

  /** A press that was written into a line of the question's own. */
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

  /** The key that was held, once its time has come: it chooses. */
  due(now: number): NamedKey | undefined {
    const held = this.#held;
    if (held === undefined || now - held.at < HOLD_MS) return undefined;
    this.#held = undefined;
    return held.event;
  }

  /** How long until then; undefined if none is held. */
  wait(now: number): number | undefined {
    return this.#held === undefined ? undefined : Math.max(0, this.#held.at + HOLD_MS - now);
  }

  #isReady(now: number, hasDraft: boolean): boolean {
    if (this.#shownAt === undefined || (hasDraft && !this.#hasFocus)) return false;
    return now - this.#shownAt >= QUIET_MS && now - this.#typedAt >= QUIET_MS;
  }
}
