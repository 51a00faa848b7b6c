/** Where an agent's records go: a file here, or a log on another machine. */

import type { DurableEvent } from '../../protocol/events.js';

export interface AppendPort {
  /**
   * Appends one record and resolves with its number when it is saved, and synced if its kind asks for it.
   *
   * `seq` is the number the writer expects it to get. One that is there already was accepted before: it resolves and
   * nothing is written, so that a try whose answer was lost can be repeated. A gap is refused, and so is a writer whose
   * fence is old: another has opened the log since. Every refusal and every failed write rejects with a TranscriptError,
   * and the log holds nothing of that record.
   */
  append(event: DurableEvent, seq: number): Promise<number>;
  /** Lets go of what it holds open until the next record; for agents that have ended. */
  release(): Promise<void>;
  close(): Promise<void>;
}

export class TranscriptError extends Error {
  override readonly name = 'TranscriptError';
}

/** By the path of a log: how often it was opened. */
export type Fences = Map<string, number>;

export type Fence = { isCurrent(): boolean };
