/** How the demo is left before its end: a signal, or output that nobody reads any more. */

import { newAbort } from '../../../host/clock.js';
import { exitOf } from '../exit-code.js';
import { exitOnLostOutput, leaveOnLostOutput } from '../lost-output.js';

export type DemoLeave = {
  /** Aborts when the demo is to be left: whoever has started something ends it and waits for its end. */
  readonly signal: AbortSignal;
  /** Undefined until then. */
  exitCode(): number | undefined;
};

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Watches until the process ends. The second signal ends it at once. */
export function watchLeave(): DemoLeave {
  const abort = newAbort();
  let exitCode: number | undefined;
  const leave = (code: number) => {
    exitCode ??= code;
    abort.abort();
  };
  for (const name of SIGNALS)
    process.on(name, () => (exitCode === undefined ? leave(exitOf(name)) : process.exit(exitOf(name))));
  process.stdout.off('error', leaveOnLostOutput);
  process.stdout.on('error', (error) => {
    if (exitCode === undefined) leave(exitOnLostOutput(error));
  });
  return { signal: abort.signal, exitCode: () => exitCode };
}
