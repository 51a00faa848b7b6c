/** A prefix and a history that belong together, and what of them the API has accepted. One per agent and epoch. */

import type { FrozenMessage } from '../protocol/frozen-block.js';
import { History, type HistoryView } from '../protocol/history.js';
import type { Breakpoint } from './anthropic/body.js';
import type { Prefix } from './prefix.js';

export class Conversation {
  readonly prefix: Prefix;
  readonly history: History;
  /** Where earlier requests ended that the API has in its cache, nearest first. */
  #ends: Breakpoint[];

  constructor(prefix: Prefix, base?: HistoryView, ends: readonly Breakpoint[] = []) {
    this.prefix = prefix;
    this.history = new History(base);
    this.#ends = [...ends];
  }

  append(message: FrozenMessage): void {
    this.history.append(message);
  }

  /** The API took a request that ended after `messages`. */
  accepted(messages: number): void {
    this.#ends = [{ messages }];
  }

  /** Where cache markers go, beside the end of system and the end of the history. */
  get breakpoints(): readonly Breakpoint[] {
    return this.#ends;
  }
}
