/** A log that writes on demand, to test what happens while a record is pending. */

import type { DurableEvent } from '../../../src/protocol/events.js';
import type { AppendPort } from '../../../src/session/transcript/append-port.js';

export class SlowDisk implements AppendPort {
  readonly written: DurableEvent[] = [];
  fail = false;
  #waiting: (() => void)[] = [];

  append(event: DurableEvent, seq: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#waiting.push(() => {
        if (this.fail) return reject(new Error('disk full'));
        this.written[seq - 1] = event;
        resolve(seq);
      });
    });
  }

  /** Writes everything, also records that are appended only after the one before is written. */
  async sync(): Promise<void> {
    do {
      for (const write of this.#waiting.splice(0)) write();
      await new Promise((resolve) => setImmediate(resolve));
    } while (this.#waiting.length > 0);
  }

  async release(): Promise<void> {}

  async close(): Promise<void> {}
}
