/** Standard output that can't be written: the disk is full, or its reader is gone. */

import { EXIT } from './exit-code.js';

/** For commands that only print. */
export function leaveOnLostOutput(error: NodeJS.ErrnoException): void {
  process.exit(exitOnLostOutput(error));
}

/** The exit code of a command that only prints: a reader that has seen enough is no error of its. Says any other loss. */
export function exitOnLostOutput(error: NodeJS.ErrnoException): number {
  if (error.code === 'EPIPE' || error.code === 'EIO') return EXIT.done;
  process.stderr.write(`error: standard output could not be written: ${reasonOfLoss(error)}\n`);
  return EXIT.error;
}

export type SessionOutput = {
  /** All work is done and only the result is printed: a reader that has seen enough of it is no error. */
  workIsDone(): void;
  /** Resolves when the text has been written, however slowly it is read, or can't be. */
  write(text: string): Promise<void>;
  /** Why not everything was written. */
  lost(): string | undefined;
};

/** For a session: its work is interrupted, because nobody would get its result, and it is closed as always. */
export function openOutput(onLost: () => void): SessionOutput {
  let reason: string | undefined;
  let isDone = false;
  const lose = (error: NodeJS.ErrnoException) => {
    if (reason !== undefined || (isDone && error.code === 'EPIPE')) return;
    reason = reasonOfLoss(error);
    onLost();
  };
  process.stdout.off('error', leaveOnLostOutput);
  process.stdout.on('error', lose);
  return {
    workIsDone: () => {
      isDone = true;
    },
    lost: () => reason,
    write: (text) =>
      new Promise((resolve) => {
        process.stdout.write(text, (error) => {
          // The callback comes before the event.
          if (error) lose(error);
          resolve();
        });
      }),
  };
}

/** How much may wait to be read before the session waits for it. */
const MOST_WAITING = 4 * 1024 * 1024;

/** Resolves when what was printed has been read, or nobody reads it any more; undefined: not much waits. */
export function whenRead(): Promise<void> | undefined {
  const { stdout } = process;
  if (stdout.writableLength < MOST_WAITING || stdout.destroyed) return undefined;
  return new Promise((resolve) => {
    const events = ['drain', 'close', 'error'] as const;
    const done = () => {
      for (const event of events) stdout.off(event, done);
      resolve();
    };
    for (const event of events) stdout.on(event, done);
  });
}

/** What to say at the end of a session whose output was lost, and how to see what it came to. */
export function explainLoss(reason: string, session: string, isKept = true): string {
  const kept = isKept ? `The session is kept: coppice --resume ${session}` : 'Nothing of the session is kept.';
  return `error: standard output could not be written: ${reason}. ${kept}`;
}

function reasonOfLoss({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'EPIPE') return 'its reader is gone (EPIPE)';
  return code === 'ENOSPC' ? 'no space is left (ENOSPC)' : message;
}
