/**
 * A machine whose disk keeps to a clock: every file call takes as long as the test says, by a clock that the test moves.
 * The real disk is waited for before the clock goes on, so what happens when does not depend on how busy the machine is.
 */

import type { Host } from '../../../src/host/host.js';
import { turns } from '../until.js';
import { ManualClock } from './manual-clock.js';
import { wrapFiles } from './wrap-files.js';

export class DiskClock extends ManualClock {
  #underWay = 0;

  /** Waits for the real disk too: what has begun by now has ended, with all that follows from it at once. */
  override async settle(): Promise<void> {
    do await turns(3);
    while (this.#underWay > 0);
  }

  /** Does something real that takes `ms` by this clock. */
  async take<R>(ms: number, call: () => Promise<R>): Promise<R> {
    await this.sleep(ms);
    this.#underWay += 1;
    try {
      return await call();
    } finally {
      this.#underWay -= 1;
    }
  }
}

/** `delay`: how many milliseconds the next file call takes. */
export function timedHost(real: Host, clock: DiskClock, delay: () => number): Host {
  const files = wrapFiles(real.files, (call) => clock.take(delay(), call));
  const timed = (host: Host): Host => ({ ...host, files, clock, at: (folder) => timed(host.at(folder)) });
  return timed(real);
}
