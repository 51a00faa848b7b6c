/** A prefix and a history that belong together, and the accepted part of them: the ingredients of a request. */

import type { Prefix } from '../../../src/model/prefix.js';
import type { ModelRequest } from '../../../src/model/request.js';
import type { FrozenMessage } from '../../../src/protocol/frozen-block.js';
import { type Breakpoint, History, type HistoryView } from '../../../src/protocol/history.js';

export class Conversation {
  readonly prefix: Prefix;
  readonly history: History;
  breakpoints: readonly Breakpoint[] = [];

  constructor(prefix: Prefix, base?: HistoryView) {
    this.prefix = prefix;
    this.history = new History(base);
  }

  append(message: FrozenMessage): void {
    this.history.append(message);
  }

  accepted(messages: number): void {
    this.breakpoints = [{ messages }];
  }

  request(breakpoints: readonly Breakpoint[] = this.breakpoints): ModelRequest {
    return { prefix: this.prefix, history: this.history.view(), maxTokens: 1_000, cacheLifetime: '5m', breakpoints };
  }
}
