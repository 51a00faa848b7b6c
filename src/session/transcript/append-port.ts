/** The port that stores an agent's records: a file here, or a log on another machine. */

import { errorCode } from '../../host/files.js';
import type { DurableEvent } from '../../protocol/events.js';

export interface AppendPort {
  /**
   * Appends one record. Resolves with its number once it is saved, and synced if its kind requires it.
   *
   * `seq` is the number the writer expects. If that record already exists, it was accepted before: the call resolves
   * and writes nothing, so a try whose answer was lost can be repeated. A gap is refused, and so is a writer with an
   * old fence, because another writer has opened the log since. Every refusal and every failed write rejects with a
   * TranscriptError, and the log then holds nothing of that record.
   */
  append(event: DurableEvent, seq: number): Promise<number>;
  /** Releases what it holds open until the next record; for agents that have ended. */
  release(): Promise<void>;
  close(): Promise<void>;
}

export class TranscriptError extends Error {
  override readonly name = 'TranscriptError';
  /** How to fix it, for the user. */
  readonly advice: string;

  constructor(message: string, options: { readonly cause?: unknown; readonly advice?: string } = {}) {
    super(message, { cause: options.cause });
    this.advice = options.advice ?? adviceFor(errorCode(options.cause));
  }
}

function adviceFor(code: string | undefined): string {
  switch (code) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
    case 'ENOENT':
    case 'ENOTDIR':
    case 'ELOOP':
      return 'set COPPICE_HOME to a folder that you can write to, then send again';
    default:
      return 'free some space (or fix the disk), then send again';
  }
}

/** How often each log was opened, by path. */
export type Fences = Map<string, number>;

export type Fence = { isCurrent(): boolean };
