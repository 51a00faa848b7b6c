/** The program's exit codes. */

export const EXIT = { done: 0, error: 1, usage: 2, hungUp: 129, interrupted: 130, terminated: 143 } as const;

/** 128 plus the signal number, as in shells. */
export function exitOf(signal: NodeJS.Signals): number {
  switch (signal) {
    case 'SIGHUP':
      return EXIT.hungUp;
    case 'SIGTERM':
      return EXIT.terminated;
    default:
      return EXIT.interrupted;
  }
}

/** Prints what is wrong with the command line. */
export function usageError(message: string): number {
  process.stderr.write(`error: ${message}\n`);
  return EXIT.usage;
}
