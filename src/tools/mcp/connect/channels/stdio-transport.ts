/**
 * Communicates with a server process by lines on its stdin and stdout. Anything else it writes is ignored and counted;
 * a huge line is dropped as it arrives (MC-6). It ends together with everything it started (MC-15).
 */

import type { Writable } from 'node:stream';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { Host } from '../../../../host/host.js';
import type { ProcessCommand, ProcessExit, RunningProcess } from '../../../../host/processes.js';
import { escapeControls } from '../../../../protocol/escape-controls.js';
import { type RecordedServer, recordServer, SERVER_VARIABLE } from '../left-servers.js';
import { MOST_BYTES, replaceDropped } from './dropped-answer.js';
import { LineSplitter } from './line-splitter.js';

/** How long a server may take to exit when its input ends, and then after SIGTERM. */
const LEAVE_MS = 300;
const GRACE_MS = 2_000;
/** How long the rest of the output may take after the process has exited, and vice versa. */
const DRAIN_MS = 500;
/** A server that doesn't read must not make us buffer everything. */
const MOST_WAITING = 4 * MOST_BYTES;
const MOST_WORDS = 300;

export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  /** Lines that were not messages, and lines that were too long. */
  readonly ignored = { noise: 0, dropped: 0 };
  readonly stderr = new StderrTail();
  /** Why it ended, if not by request. */
  ended: string | undefined;
  readonly #host: Host;
  readonly #name: string;
  readonly #command: ProcessCommand;
  /** In the environment of everything that the server starts. */
  readonly #tag: string;
  #process: RunningProcess | undefined;
  #record: RecordedServer | undefined;
  #closing: Promise<void> | undefined;
  /** All senders that wait for room share one promise. */
  #drained: Promise<void> | undefined;

  constructor(host: Host, name: string, command: Omit<ProcessCommand, 'input'>) {
    this.#host = host;
    this.#name = name;
    this.#tag = host.newId();
    this.#command = { ...command, env: { ...command.env, [SERVER_VARIABLE]: this.#tag }, input: 'open' };
  }

  /** Rejects with the reason if the program can't be started. */
  async start(): Promise<void> {
    // Recorded before it starts: if we are killed at any time, its processes are found by their tag.
    this.#record = await recordServer(this.#host, { name: this.#name, tag: this.#tag });
    if (this.#closing !== undefined) {
      await this.#record.remove();
      throw new Error('it is closed');
    }
    const process = this.#host.processes.start(this.#command);
    this.#process = process;
    const lines = new LineSplitter(MOST_BYTES, {
      line: (line) => this.#receive(line),
      dropped: (start, end) => this.#drop(start, end),
    });
    const outputEnded = new Promise<void>((resolve) => {
      process.stdout.on('data', (chunk: Buffer) => lines.push(chunk));
      for (const event of ['end', 'close', 'error']) process.stdout.once(event, () => resolve());
    });
    process.stderr.on('data', (chunk: Buffer) => this.stderr.push(chunk));
    process.stderr.on('error', () => {});
    if (process.pid === undefined) {
      await this.#record.remove();
      throw new Error(whyNotStarted(this.#command, await process.exit));
    }
    await this.#record.began(process.pid);
    void this.#watch(process, outputEnded);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const input = this.#process?.stdin;
    if (input === undefined || this.#closing !== undefined || input.destroyed || input.writableEnded) {
      throw new Error(this.ended ?? 'it is closed');
    }
    if (input.writableLength > MOST_WAITING) throw new Error('it does not read its input');
    if (input.write(`${JSON.stringify(message)}\n`)) return;
    this.#drained ??= untilDrained(input).then(() => {
      this.#drained = undefined;
    });
    await this.#drained;
  }

  /** Never rejects. Resolves when it has ended with everything it started. */
  close(): Promise<void> {
    // Set before it begins, because a listener of the end closes it, too.
    this.#closing ??= Promise.resolve().then(() => this.#end());
    return this.#closing;
  }

  async #watch(process: RunningProcess, outputEnded: Promise<void>): Promise<void> {
    const { clock } = this.#host;
    const first = await Promise.race([process.exit, outputEnded.then(() => 'silent' as const)]);
    const exit = first === 'silent' ? await Promise.race([process.exit, clock.sleep(DRAIN_MS)]) : first;
    // Its last output may still be arriving.
    if (first !== 'silent') await Promise.race([outputEnded, clock.sleep(DRAIN_MS)]);
    if (this.#closing !== undefined) return;
    const content = this.stderr.text()?.split('\n').at(-1)?.slice(0, MOST_WORDS);
    const how = exit === undefined ? 'it closed its output' : describeExit(exit);
    this.ended = content === undefined ? how : `${how}; its last words: ${content}`;
    await this.close();
  }

  async #end(): Promise<void> {
    const { processes, clock } = this.#host;
    const process = this.#process;
    // Callers that wait for an answer learn it now, not when the last process has gone.
    this.onclose?.();
    if (process?.pid !== undefined) {
      process.stdin?.end();
      await Promise.race([process.exit, clock.sleep(LEAVE_MS)]);
      await process.end(GRACE_MS);
      process.stdin?.destroy();
      await processes.endByVariable(SERVER_VARIABLE, this.#tag, GRACE_MS);
      await this.#record?.remove();
    }
  }

  #receive(line: string): void {
    if (line.trim() === '') return;
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      this.ignored.noise += 1;
      return;
    }
    if (isMessage(message)) this.#deliver(message);
    else this.ignored.noise += 1;
  }

  #drop(start: string, end: string): void {
    this.ignored.dropped += 1;
    const instead = replaceDropped(start, end);
    if (instead !== undefined) this.#deliver(instead);
  }

  /** A valid message may still be too much for its reader, such as one nested a million levels deep. */
  #deliver(message: JSONRPCMessage): void {
    try {
      this.onmessage?.(message);
    } catch (error) {
      this.ignored.noise += 1;
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }
}

/** Also resolves on close: then nothing needs to wait. */
function untilDrained(input: Writable): Promise<void> {
  return new Promise((resolve) => {
    const events = ['drain', 'close', 'error'];
    const done = () => {
      for (const event of events) input.off(event, done);
      resolve();
    };
    for (const event of events) input.on(event, done);
  });
}

function isMessage(value: unknown): value is JSONRPCMessage {
  if (typeof value !== 'object' || value === null || !('jsonrpc' in value) || value.jsonrpc !== '2.0') return false;
  return 'method' in value
    ? typeof value.method === 'string'
    : 'id' in value && ('result' in value || 'error' in value);
}

function describeExit({ code, signal }: ProcessExit): string {
  return signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`;
}

function whyNotStarted({ file, cwd }: ProcessCommand, { error }: ProcessExit): string {
  const code = error !== undefined && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return `the program ${file} was not found (started in ${cwd}): check "command", and PATH`;
  if (code === 'EACCES') return `the program ${file} may not be run: check "command" and its permissions`;
  return `the program ${file} could not be started: ${error?.message ?? 'unknown reason'}`;
}

const KEPT_BYTES = 4 * 1024;

const SHOWN_LINES = 20;

/** The end of a server's stderr: a few KB, regardless of how much it writes. */
class StderrTail {
  #kept: Buffer = Buffer.alloc(0);

  push(chunk: Buffer): void {
    this.#kept = Buffer.from(Buffer.concat([this.#kept, chunk.subarray(-KEPT_BYTES)]).subarray(-KEPT_BYTES));
  }

  /** Its last lines, for the user; undefined if there are none. */
  text(): string | undefined {
    const lines = this.#kept.toString('utf8').replaceAll('\r\n', '\n').trim().split('\n').slice(-SHOWN_LINES);
    const shown = escapeControls(lines.join('\n').toWellFormed());
    return shown === '' ? undefined : shown;
  }
}
