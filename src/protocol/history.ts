/**
 * The messages of a conversation, as frozen blocks. A history only grows and its views never change, so that a fork can
 * share its parent's messages by reference.
 */

import type { FrozenMessage } from './frozen-block.js';

/** A point in a history: after `messages` whole messages, or `blocks` blocks into the message that follows them. */
export type Breakpoint = { readonly messages: number; readonly blocks?: number };

/** The first `length` messages of a history. Never changes. */
export interface HistoryView extends Iterable<FrozenMessage> {
  readonly length: number;
  at(index: number): FrozenMessage | undefined;
}

export class History implements HistoryView {
  readonly #base: HistoryView | undefined;
  readonly #own: FrozenMessage[] = [];

  /** Continues where `base` ends, without copying it. */
  constructor(base?: HistoryView) {
    this.#base = base && base.length > 0 ? base : undefined;
  }

  static of(messages: Iterable<FrozenMessage>): History {
    const history = new History();
    for (const message of messages) history.append(message);
    return history;
  }

  get length(): number {
    return this.#baseLength + this.#own.length;
  }

  get #baseLength(): number {
    return this.#base?.length ?? 0;
  }

  at(index: number): FrozenMessage | undefined {
    return index < this.#baseLength ? this.#base?.at(index) : this.#own[index - this.#baseLength];
  }

  append(message: FrozenMessage): void {
    if (message.blocks.length === 0) throw new Error('a message without content can never be sent');
    this.#own.push(message);
  }

  /** The history as it is now; later messages are not part of it. */
  view(length: number = this.length): HistoryView {
    return new FixedView(this, Math.min(length, this.length));
  }

  *[Symbol.iterator](): Iterator<FrozenMessage> {
    if (this.#base) yield* this.#base;
    yield* this.#own;
  }
}

class FixedView implements HistoryView {
  constructor(
    readonly history: History,
    readonly length: number,
  ) {}

  at(index: number): FrozenMessage | undefined {
    return index < this.length ? this.history.at(index) : undefined;
  }

  *[Symbol.iterator](): Iterator<FrozenMessage> {
    let index = 0;
    for (const message of this.history) {
      if (index >= this.length) return;
      index += 1;
      yield message;
    }
  }
}
