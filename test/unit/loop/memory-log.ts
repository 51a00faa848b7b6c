/** A log in memory that can refuse records: what a full disk does to a transcript. */

import type { DurableEvent } from '../../../src/protocol/events.js';
import { type AppendPort, TranscriptError } from '../../../src/session/transcript/append-port.js';

export class MemoryLog implements AppendPort {
  readonly events: DurableEvent[] = [];
  /** Which records can't be saved. Asked before each. */
  refuses: (event: DurableEvent) => boolean = () => false;

  async append(event: DurableEvent, seq: number): Promise<number> {
    // As a disk would: never at once.
    await Promise.resolve();
    if (seq !== this.events.length + 1) throw new TranscriptError(`a gap: ${seq} after ${this.events.length}`);
    if (this.refuses(event)) throw new TranscriptError(`could not be saved: ${event.kind}`);
    this.events.push(event);
    return seq;
  }

  async release(): Promise<void> {}

  async close(): Promise<void> {}
}
