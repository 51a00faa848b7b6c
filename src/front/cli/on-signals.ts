/** Handles Ctrl+C and termination signals: the first interrupts the work, the second exits at once. */

import { newAbort, realClock } from '../../host/clock.js';
import { exitOf } from './exit-code.js';

export type Signals = { received(): NodeJS.Signals | undefined; stop(): void };

export function onSignals(interrupt: () => void): Signals {
  let received: NodeJS.Signals | undefined;
  const handle = (signal: NodeJS.Signals) => {
    if (received !== undefined) process.exit(exitOf(signal));
    received = signal;
    interrupt();
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, handle);
  return {
    received: () => received,
    stop: () => {
      for (const signal of signals) process.off(signal, handle);
    },
  };
}

/** How long to wait at the end for a reader that does not read. */
const LAST_OUTPUT_MS = 1000;

/** False if the last output is not read soon; it would keep the process alive. */
export async function isReadSoon(written: Promise<void>): Promise<boolean> {
  const read = newAbort();
  void written.then(() => read.abort());
  await realClock.sleep(LAST_OUTPUT_MS, read.signal);
  return read.signal.aborted;
}
