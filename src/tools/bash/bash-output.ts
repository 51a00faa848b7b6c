/** Collects a command's output: in memory while it is small, then head and tail in memory and the rest in a capped file. */

import { stripVTControlCharacters } from 'node:util';
import type { AppendHandle } from '../../host/files.js';
import { reasonOf } from '../../protocol/reason-of.js';
import { preview } from '../bounds.js';

const MEMORY_BYTES = 128 * 1024;
const EDGE_BYTES = 64 * 1024;
const FILE_BYTES = 50 * 1024 * 1024;

export type OutputFile = { readonly path: string; readonly handle: AppendHandle };

export class CommandOutput {
  total = 0;
  readonly #open: () => Promise<OutputFile>;
  #chunks: Buffer[] = [];
  #kept = 0;
  #head: Buffer | undefined;
  #file: OutputFile | undefined;
  #fileBytes = 0;
  #fileProblem: string | undefined;
  #writing: Promise<void> | undefined;

  /** `open` creates the file for output that doesn't fit into memory. It is called at most once. */
  constructor(open: () => Promise<OutputFile>) {
    this.#open = open;
  }

  /** Returns a promise if the caller should wait, because the disk is slower than the command. */
  add(chunk: Buffer): Promise<void> | undefined {
    this.total += chunk.length;
    this.#chunks.push(chunk);
    this.#kept += chunk.length;
    if (this.#head === undefined) {
      if (this.total <= MEMORY_BYTES) return undefined;
      const all = Buffer.concat(this.#chunks);
      this.#head = Buffer.from(all.subarray(0, EDGE_BYTES));
      this.#dropAllButTail();
      return this.#write(all);
    }
    this.#dropAllButTail();
    return this.#write(chunk);
  }

  /** The text for the conversation. */
  async finish(): Promise<string> {
    await this.#writing;
    await this.#file?.handle.close().catch(() => {});
    const tail = Buffer.concat(this.#chunks);
    if (this.#head === undefined) return readable(tail);
    return preview({
      head: readable(this.#head),
      tail: readable(tail),
      leftOut: () => `the middle of ${this.total} bytes of output is omitted. ${this.#whereabouts()}`,
    });
  }

  /** All of it, for a file to which the rest is appended; of long output, the beginning and the end. */
  async handOver(): Promise<Buffer> {
    await this.#writing;
    await this.#file?.handle.close().catch(() => {});
    const tail = Buffer.concat(this.#chunks);
    if (this.#head === undefined) return tail;
    const note = Buffer.from(`\n[… the middle of ${this.total} bytes is omitted. ${this.#whereabouts()}]\n`);
    return Buffer.concat([this.#head, note, tail]);
  }

  #whereabouts(): string {
    if (this.#fileProblem !== undefined) return `The rest could not be saved (${this.#fileProblem}).`;
    if (this.#file === undefined) return '';
    const rest = this.total > this.#fileBytes ? ` (first ${this.#fileBytes} bytes)` : '';
    return `The full output${rest} is in ${this.#file.path}: read the part you need.`;
  }

  #dropAllButTail(): void {
    for (;;) {
      const first = this.#chunks[0];
      if (first === undefined || this.#kept - first.length < EDGE_BYTES) return;
      this.#chunks.shift();
      this.#kept -= first.length;
    }
  }

  /** Beyond the cap, or after a write error, output is counted and dropped. */
  #write(bytes: Buffer): Promise<void> | undefined {
    const room = FILE_BYTES - this.#fileBytes;
    if (room <= 0 || this.#fileProblem !== undefined) return undefined;
    const part = bytes.subarray(0, room);
    this.#fileBytes += part.length;
    this.#writing = (this.#writing ?? Promise.resolve()).then(() => this.#append(part));
    return this.#writing;
  }

  async #append(bytes: Buffer): Promise<void> {
    if (this.#fileProblem !== undefined) return;
    try {
      this.#file ??= await this.#open();
      for (let done = 0; done < bytes.length; ) done += await this.#file.handle.write(bytes.subarray(done));
    } catch (error) {
      this.#fileProblem = reasonOf(error);
    }
  }
}

/** Converts any bytes to text, without escape sequences, NULs or partial characters. */
export function readable(bytes: Buffer): string {
  return stripVTControlCharacters(bytes.toString('utf8')).replaceAll('\0', '␀').replaceAll('\r\n', '\n');
}
