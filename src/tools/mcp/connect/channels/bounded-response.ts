/** Bounds HTTP responses: an endless or huge body fails or is cut, and never fills the memory (MC-6). */

import { byteSize } from '../../../../protocol/format-numbers.js';
import { MOST_BYTES, replaceDropped } from './dropped-answer.js';

/** The limit for the body of an error. */
const MOST_TOLD = 64 * 1024;
const SHOWN = 512;
/** An event may arrive in millions of tiny parts, so they are joined periodically. */
const MOST_PARTS = 4_096;
const WITHOUT_BODY = new Set([101, 204, 205, 304]);

export function boundResponse(response: Response): Response {
  const { body, status, statusText, headers } = response;
  if (body === null || WITHOUT_BODY.has(status)) return response;
  const isStream = response.ok && (headers.get('content-type') ?? '').trimStart().startsWith('text/event-stream');
  const bound = isStream ? boundEvents() : response.ok && status !== 202 ? failAt(MOST_BYTES) : cutAt(MOST_TOLD);
  return new Response(body.pipeThrough(bound), { status, statusText, headers });
}

type Bytes = Uint8Array<ArrayBuffer>;

function failAt(limit: number): TransformStream<Bytes, Bytes> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (bytes <= limit) controller.enqueue(chunk);
      else controller.error(new Error(`the answer is larger than ${byteSize(limit)}; ask for less at a time`));
    },
  });
}

function cutAt(limit: number): TransformStream<Bytes, Bytes> {
  let left = limit;
  return new TransformStream({
    transform(chunk, controller) {
      controller.enqueue(chunk.subarray(0, left));
      left -= chunk.length;
      if (left <= 0) controller.terminate();
    },
  });
}

function boundEvents(): TransformStream<Bytes, Bytes> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const events = new EventSplitter();
  return new TransformStream({
    transform(chunk, controller) {
      for (const event of events.push(decoder.decode(chunk, { stream: true })))
        controller.enqueue(encoder.encode(event));
    },
  });
}

/** Emits whole events only. Line endings are normalised, so that an event is complete with its last byte. */
class EventSplitter {
  readonly #blocks: string[] = [];
  readonly #held: string[] = [];
  #length = 0;
  /** The start of an event that is being dropped. */
  #start: string | undefined;
  #end = '';
  #endsInReturn = false;
  /** True if the current line has any text. */
  #isInLine = false;

  push(raw: string): readonly string[] {
    const text = (this.#endsInReturn && raw.startsWith('\n') ? raw.slice(1) : raw).replace(/\r\n?/g, '\n');
    if (raw !== '') this.#endsInReturn = raw.endsWith('\r');
    const events: string[] = [];
    let from = 0;
    let line = 0;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', line)) {
      const isEmpty = at === line && !this.#isInLine;
      this.#isInLine = false;
      line = at + 1;
      if (!isEmpty) continue;
      this.#take(text.slice(from, line));
      events.push(this.#finish());
      from = line;
    }
    if (line < text.length) this.#isInLine = true;
    if (from < text.length) this.#take(text.slice(from));
    return events;
  }

  #take(part: string): void {
    this.#length += part.length;
    if (this.#start !== undefined) {
      this.#end = (this.#end + part.slice(-SHOWN)).slice(-SHOWN);
      return;
    }
    this.#held.push(part);
    if (this.#held.length >= MOST_PARTS) this.#blocks.push(this.#held.splice(0).join(''));
    if (this.#length <= MOST_BYTES) return;
    const whole = this.#join();
    this.#start = whole.slice(0, SHOWN);
    this.#end = whole.slice(-SHOWN);
  }

  #join(): string {
    return [...this.#blocks.splice(0), ...this.#held.splice(0)].join('');
  }

  #finish(): string {
    const event = this.#start === undefined ? this.#join() : insteadOf(this.#start, this.#end);
    this.#length = 0;
    this.#start = undefined;
    this.#end = '';
    return event;
  }
}

function insteadOf(start: string, end: string): string {
  const instead = replaceDropped(start.slice(Math.max(0, start.indexOf('data:'))), end.trimEnd());
  return instead === undefined ? '' : `data: ${JSON.stringify(instead)}\n\n`;
}
