/** What Ctrl+C means: interrupt the work; pressed twice, leave; pressed again while leaving, leave at once. */

import { realClock } from '../../../host/clock.js';
import { EXIT } from '../exit-code.js';

const TWICE_MS = 2_000;

export type Interruptible = {
  isWorking(): boolean;
  interrupt(): void;
  leave(code: number): void;
  say(line: string): void;
};

export type InterruptKey = {
  press(): void;
  /** Something else was done since: the next press is a first one. */
  forget(): void;
};

export function createInterruptKey(target: Interruptible): InterruptKey {
  let last = Number.NEGATIVE_INFINITY;
  let leaving = false;
  const press = () => {
    const now = realClock.elapsed();
    const twice = now - last < TWICE_MS;
    last = now;
    if (leaving) process.exit(EXIT.interrupted);
    if (twice) {
      leaving = true;
      target.interrupt();
      return target.leave(EXIT.interrupted);
    }
    if (!target.isWorking()) return target.say('(Ctrl+C again leaves)');
    target.interrupt();
    target.say('(interrupting; Ctrl+C again leaves)');
  };
  const forget = () => {
    last = Number.NEGATIVE_INFINITY;
  };
  return { press, forget };
}
