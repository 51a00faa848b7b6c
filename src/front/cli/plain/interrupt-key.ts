/** Ctrl+C: interrupts the work; pressed twice, leaves; pressed again while leaving, exits at once. */

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
  /** The user did something else: the next press is a first one. */
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
    if (!target.isWorking()) return target.say('(press Ctrl+C again to exit)');
    target.interrupt();
    target.say('(interrupting; press Ctrl+C again to exit)');
  };
  const forget = () => {
    last = Number.NEGATIVE_INFINITY;
  };
  return { press, forget };
}
