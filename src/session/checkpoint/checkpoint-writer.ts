/**
 * Writes the checkpoint of a session: after each compaction, from the file alone, and after a resume that had to read much.
 * Runs in the background: nothing waits for it, and a failure loses nothing.
 */

import { dirname } from 'node:path';
import { newAbort } from '../../host/clock.js';
import type { Host } from '../../host/host.js';
import { type ReadState, readState } from '../state/read-state.js';
import { type Checkpoint, type CheckpointPosition, encodeCheckpoint } from './checkpoint.js';

/** A shorter transcript is read just as fast without one. */
const WORTH_BYTES = 1024 * 1024;
/** A resume that folded more than this saves its state, if that is this many times smaller. */
const MUCH_BYTES = 4 * 1024 * 1024;
const TIMES_SMALLER = 4;

export type CheckpointWriterOptions = {
  readonly host: Host;
  readonly transcript: string;
  readonly place: CheckpointPosition;
  /** For tests: writes one however short the transcript is. */
  readonly worthBytes?: number;
};

export class CheckpointWriter {
  readonly #options: CheckpointWriterOptions;
  readonly #abort = newAbort();
  #work: Promise<void> = Promise.resolve();
  /** The record after which to write the next one; a later one replaces it. */
  #next: number | undefined;

  constructor(options: CheckpointWriterOptions) {
    this.#options = options;
  }

  /** Called when a compaction is on disk, as record `seq`. */
  compacted(seq: number): void {
    const isWaiting = this.#next !== undefined;
    this.#next = seq;
    if (!isWaiting) this.#queue(() => this.#makeNext());
  }

  /** Saves the result of `prepareCheckpoint`. */
  save(bytes: Buffer): void {
    this.#queue(() => this.#write(bytes));
  }

  /** Resolves when no work is left. */
  idle(): Promise<void> {
    return this.#work;
  }

  /** Abandons work in progress: the next resume writes a missing checkpoint. */
  async close(): Promise<void> {
    this.#abort.abort();
    await this.idle();
  }

  #queue(work: () => Promise<void>): void {
    this.#work = this.#work.then(() => (this.#abort.signal.aborted ? undefined : work())).catch(() => {});
  }

  async #makeNext(): Promise<void> {
    const upTo = this.#next;
    this.#next = undefined;
    const { host, transcript, place, worthBytes = WORTH_BYTES } = this.#options;
    const { signal } = this.#abort;
    const size = (await host.files.stat(transcript))?.size ?? 0;
    if (upTo === undefined || size < worthBytes) return;
    const read = await readState(host.files, transcript, { upTo, checkpoint: place, signal });
    const point = read.kind === 'read' && read.point?.last.seq === upTo ? read.point : undefined;
    const bytes = point && (await encodeCheckpoint(host.files, transcript, point, place));
    if (bytes !== undefined && !signal.aborted) await this.#write(bytes);
  }

  async #write(bytes: Buffer): Promise<void> {
    const { host, place } = this.#options;
    await host.files.makeFolder(dirname(place.path), 0o700);
    await host.files.replace(place.path, bytes);
  }
}

/**
 * Returns the checkpoint to save after a read that folded much; undefined if it is not worth it. Call it before the
 * state changes.
 */
export async function prepareCheckpoint(
  { files }: Host,
  transcript: string,
  place: CheckpointPosition,
  { point, folded }: ReadState,
): Promise<Buffer | undefined> {
  if (point === undefined || folded < MUCH_BYTES || sizeOf(point) * TIMES_SMALLER > folded) return undefined;
  return encodeCheckpoint(files, transcript, point, place).catch(() => undefined);
}

function sizeOf({ state: { history, pending, results } }: Checkpoint): number {
  let bytes = 0;
  for (const holders of [history, pending, results.values()]) {
    for (const { blocks } of holders) for (const block of blocks) bytes += block.bytes.length;
  }
  return bytes;
}
