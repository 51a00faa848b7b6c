/** A log in memory: appended records are there at once. */

import type { DurableEvent } from '../../../src/protocol/events.js';
import type { AppendPort } from '../../../src/session/transcript/append-port.js';

export class MemoryLog implements AppendPort {
  readonly events: DurableEvent[] = [];

  async append(event: DurableEvent, seq: number): Promise<number> {
    this.events[seq - 1] = event;
    return seq;
  }

  async release(): Promise<void> {}

  async close(): Promise<void> {}
}
