/**
 * The transcript of one agent: an append-only file of records with one writer. Nothing else writes transcripts.
 *
 * A record whose `append` resolved is in the file as a whole. A failed write is cut back to the last whole record and
 * rejected. After a failed sync the file is suspect: writing continues in a new segment, which begins with all records
 * since the last successful sync.
 */

import { dirname } from 'node:path';
import type { AppendHandle, FileStat, Files } from '../../host/files.js';
import type { Host } from '../../host/host.js';
import type { DurableEvent } from '../../protocol/events.js';
import { reasonOf } from '../../protocol/reason-of.js';
import { needsSync } from '../state/reduce.js';
import { type AppendPort, type Fence, type Fences, TranscriptError } from './append-port.js';
import { makeDurableFolder } from './durable-folder.js';
import { encodeRecord, RECORD_VERSION, type RecordHead } from './record.js';

export type TranscriptEnd = { readonly seq: number; readonly uuid: string | null; readonly segment: number };

export type TranscriptOptions = {
  readonly host: Host;
  readonly path: string;
  /** End of an existing transcript; omit for a new one. */
  readonly end?: TranscriptEnd;
  /** Omit if no one else can open the file meanwhile. */
  readonly fence?: Fence;
  /** Called when a sync failed and writing moved to another file. */
  readonly onSuspect: (line: string) => void;
};

export class Transcript implements AppendPort {
  readonly #host: Host;
  readonly #path: string;
  readonly #fence: Fence | undefined;
  readonly #onSuspect: (line: string) => void;
  /** Undefined while released; the next record reopens the file. */
  #handle: AppendHandle | undefined;
  #seq: number;
  #last: string | null;
  #segment: number;
  /** File length up to its last whole record. */
  #length: number;
  /** Records since the last successful sync; they are copied to the next segment. */
  #unsynced: Buffer[] = [];
  /** The file may lack earlier writes, so nothing more is appended to it. */
  #suspect = false;
  /** Its name in the folder may not be on disk yet. */
  #unlisted = true;
  /** The identity of the file; undefined until the first sync. */
  #identity: string | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #closed = false;

  private constructor(options: TranscriptOptions, handle: AppendHandle, length: number) {
    this.#host = options.host;
    this.#path = options.path;
    this.#fence = options.fence;
    this.#onSuspect = options.onSuspect;
    this.#handle = handle;
    this.#length = length;
    this.#seq = options.end?.seq ?? 0;
    this.#last = options.end?.uuid ?? null;
    this.#segment = options.end?.segment ?? 0;
  }

  static async open(options: TranscriptOptions): Promise<Transcript> {
    const path = segmentPath(options.path, options.end?.segment ?? 0);
    let handle: AppendHandle | undefined;
    try {
      await makeDurableFolder(options.host.files, dirname(path));
      handle = await options.host.files.openAppend(path);
      return new Transcript(options, handle, await handle.size());
    } catch (error) {
      await handle?.close().catch(() => {});
      throw new TranscriptError(`could not open ${path}: ${reasonOf(error)}`, { cause: error });
    }
  }

  /** Current end, where another writer continues. */
  get end(): TranscriptEnd {
    return { seq: this.#seq, uuid: this.#last, segment: this.#segment };
  }

  append(event: DurableEvent, seq: number): Promise<number> {
    const work = this.#queue.then(async () => {
      if (this.#closed) throw new TranscriptError('the transcript is closed');
      if (this.#fence?.isCurrent() === false) throw new TranscriptError(`${this.#path} has another writer now`);
      if (seq <= this.#seq) return seq;
      if (seq > this.#seq + 1) throw new TranscriptError(`record ${seq} would leave a gap after ${this.#seq}`);
      const head: RecordHead = {
        v: RECORD_VERSION,
        seq,
        uuid: this.#host.newId(),
        parent: this.#last,
        ts: new Date(this.#host.clock.now()).toISOString(),
      };
      if (this.#suspect) await this.#leaveSuspect();
      const line = encodeRecord(head, event);
      await this.#write(line);
      if (needsSync(event)) await this.#syncOrUndo(line);
      this.#seq = head.seq;
      this.#last = head.uuid;
      return head.seq;
    });
    this.#queue = work.catch(() => {});
    return work;
  }

  /** Closes the file until the next record; for idle agents. */
  async release(): Promise<void> {
    const work = this.#queue.then(async () => {
      if (this.#handle !== undefined) await this.#closeFile();
    });
    this.#queue = work.catch(() => {});
    return work;
  }

  async close(): Promise<void> {
    const work = this.#queue.then(async () => {
      if (this.#closed) return;
      this.#closed = true;
      await this.#closeFile();
    });
    this.#queue = work.catch(() => {});
    return work;
  }

  /** Closes the file even if the sync fails. */
  async #closeFile(): Promise<void> {
    try {
      if (this.#unsynced.length > 0) await this.#sync();
    } finally {
      // Read the handle only now: a failed sync continues in another file.
      const handle = this.#handle;
      this.#handle = undefined;
      await handle?.close();
    }
  }

  async #write(line: Buffer): Promise<void> {
    try {
      this.#handle ??= await this.#host.files.openAppend(segmentPath(this.#path, this.#segment));
      let written = 0;
      while (written < line.length) {
        const count = await this.#handle.write(written === 0 ? line : line.subarray(written));
        if (count === 0) throw new Error('the file accepts no more bytes');
        written += count;
      }
    } catch (error) {
      await this.#cutBack();
      throw new TranscriptError(`could not save to ${this.#path}: ${reasonOf(error)}`, { cause: error });
    }
    this.#length += line.length;
    this.#unsynced.push(line);
  }

  /** Part of a record may be in the file: cut it off, or move to a new segment if that fails. */
  async #cutBack(): Promise<void> {
    try {
      await this.#handle?.cut(this.#length);
    } catch {
      this.#suspect = true;
      await this.#startSegment().catch(() => {});
    }
  }

  /** Removes a record that was reported as not saved: it must not reappear on the next read. */
  async #syncOrUndo(line: Buffer): Promise<void> {
    try {
      await this.#sync();
    } catch (error) {
      this.#unsynced.pop();
      this.#length -= line.length;
      await this.#handle?.cut(this.#length).catch(() => {});
      throw error;
    }
  }

  async #sync(): Promise<void> {
    const { files } = this.#host;
    const path = segmentPath(this.#path, this.#segment);
    try {
      await Promise.all([this.#handle?.sync(), this.#unlisted ? files.syncFolder(dirname(path)) : undefined]);
      this.#unsynced = [];
      this.#unlisted = false;
    } catch (error) {
      // After a failed sync the kernel may have dropped data that it could not write; a second sync would hide that.
      this.#suspect = true;
      await this.#leaveSuspect();
      this.#onSuspect(`${this.#path} could not be synced (${reasonOf(error)}); continuing in segment ${this.#segment}`);
      return;
    }
    this.#checkName(path);
  }

  /** A deleted file still accepts writes: checks that the name still refers to the same file. */
  #checkName(path: string): void {
    let found: FileStat | undefined;
    try {
      found = this.#host.files.sync.lstat(path);
    } catch {
      return;
    }
    this.#identity ??= found?.identity;
    // Some file systems change the identity of an unchanged file: then its length decides.
    if (found !== undefined && (found.identity === this.#identity || found.size >= this.#length)) return;
    const advice = 'restore it, or start a new session';
    throw new TranscriptError(`could not save to ${path}: it was deleted or moved away while the session was open`, {
      advice,
    });
  }

  async #leaveSuspect(): Promise<void> {
    try {
      await this.#startSegment();
    } catch (error) {
      const reason = `the file is suspect, and a new segment could not be created: ${reasonOf(error)}`;
      throw new TranscriptError(`could not save to ${this.#path}: ${reason}`, { cause: error });
    }
  }

  async #startSegment(): Promise<void> {
    const segment = this.#segment + 1;
    const handle = await this.#host.files.openAppend(segmentPath(this.#path, segment));
    const again = Buffer.concat(this.#unsynced);
    let length = 0;
    try {
      length = await handle.size();
      for (let rest: Uint8Array = again; rest.length > 0; ) {
        const written = await handle.write(rest);
        if (written === 0) throw new Error('the file accepts no more bytes');
        rest = rest.subarray(written);
      }
      await handle.sync();
      await this.#host.files.syncFolder(dirname(this.#path));
    } catch (error) {
      await handle.close().catch(() => {});
      throw error;
    }
    await this.#handle?.close().catch(() => {});
    this.#handle = handle;
    this.#segment = segment;
    this.#length = length + again.length;
    this.#unsynced = [];
    this.#suspect = false;
    this.#unlisted = false;
    this.#identity = undefined;
  }
}

/** Each opening of a log raises its fence; writers that opened it earlier are refused from then on. */
export function raiseFence(fences: Fences, path: string): Fence {
  const mine = (fences.get(path) ?? 0) + 1;
  fences.set(path, mine);
  return { isCurrent: () => fences.get(path) === mine };
}

/** `x.jsonl`, then `x.1.jsonl`, `x.2.jsonl` … */
export function segmentPath(path: string, segment: number): string {
  return segment === 0 ? path : path.replace(/\.jsonl$/, `.${segment}.jsonl`);
}

/** All segments of a transcript, in order. */
export async function segmentsOf(files: Files, path: string): Promise<string[]> {
  const found: string[] = [];
  for (let segment = 0; ; segment += 1) {
    const candidate = segmentPath(path, segment);
    if ((await files.stat(candidate)) === undefined) return found;
    found.push(candidate);
  }
}

/** `x.1.jsonl` continues `x.jsonl`. */
export function isSegment(name: string, names: ReadonlySet<string>): boolean {
  const first = name.replace(/\.\d+\.jsonl$/, '.jsonl');
  return first !== name && names.has(first);
}
