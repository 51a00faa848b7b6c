/** Handles standard output that can't be written: the disk is full, or the reader is gone. */

import { EXIT } from './exit-code.js';

/** For commands that only print. */
export function leaveOnLostOutput(error: NodeJS.ErrnoException): void {
  process.exit(exitOnLostOutput(error));
}

/** The exit code of a command that only prints. A reader that closes early is not an error; any other loss is printed. */
export function exitOnLostOutput(error: NodeJS.ErrnoException): number {
  if (error.code === 'EPIPE' || error.code === 'EIO') return EXIT.done;
  process.stderr.write(`error: can't write to standard output: ${reasonOfLoss(error)}\n`);
  return EXIT.error;
}

export type SessionOutput = {
  /** Marks the work as done: from now on, a reader that closes early is not an error. */
  workIsDone(): void;
  /** Resolves when the text is written, however slow the reader, or writing has failed. */
  write(text: string): Promise<void>;
  /** Why not everything was written. */
  lost(): string | undefined;
};

/** Opens the output of a session. If it is lost, the run is interrupted, since nobody would get the result. */
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

/** Unread bytes above which the session waits for the reader. */
const MAX_UNREAD = 4 * 1024 * 1024;

/** Resolves when the output is read, or the reader is gone; undefined if little is unread. */
export function whenRead(): Promise<void> | undefined {
  const { stdout } = process;
  if (stdout.writableLength < MAX_UNREAD || stdout.destroyed) return undefined;
  return new Promise((resolve) => {
    const events = ['drain', 'close', 'error'] as const;
    const done = () => {
      for (const event of events) stdout.off(event, done);
      resolve();
    };
    for (const event of events) stdout.on(event, done);
  });
}

/** Explains lost output at the end of a session, and how to see the result. */
export function explainLoss(reason: string, session: string, isKept = true): string {
  const saved = isKept ? `The session is saved: coppice --resume ${session}` : 'The session is not saved.';
  return `error: can't write to standard output: ${reason}. ${saved}`;
}

function reasonOfLoss({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'EPIPE') return 'the reader is gone (EPIPE)';
  return code === 'ENOSPC' ? 'no space left (ENOSPC)' : message;
}
