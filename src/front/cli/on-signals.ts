/** Handles Ctrl+C and termination signals: the first interrupts the work, the second exits at once. */

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
