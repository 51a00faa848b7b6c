/**
 * Messages of the protocol over two byte streams, one per line. The package's own reader ends the connection at a line
 * that is too long; here an unusable line is answered with an error and skipped, and all sessions continue (CL-8).
 */

import type { Readable } from 'node:stream';
import { type AnyMessage, DEFAULT_MAX_MESSAGE_BYTES, type Stream } from '@agentclientprotocol/sdk';
import { isObject, parseJson } from '../../protocol/json/json-values.js';

export type MessageStreamOptions = {
  readonly input: Readable;
  /** Resolves when the other side has received the text, however slowly it reads. */
  readonly write: (text: string) => Promise<void>;
  /** In bytes. */
  readonly longestLine?: number;
};

const NEWLINE = 0x0a;

export function messageStream({ input, write, longestLine }: MessageStreamOptions): Stream {
  const send = (message: object) => write(`${JSON.stringify(message)}\n`);
  const messages = readMessages(input, longestLine ?? DEFAULT_MAX_MESSAGE_BYTES, send);
  return {
    readable: new ReadableStream<AnyMessage>({
      // One line at a time: the rest stays in the pipe.
      pull: async (controller) => {
        const { value, done } = await messages.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: () => void input.destroy(),
    }),
    writable: new WritableStream<AnyMessage>({ write: send }),
  };
}

async function* readMessages(
  input: Readable,
  longest: number,
  answer: (message: object) => Promise<void>,
): AsyncGenerator<AnyMessage, void, undefined> {
  for await (const line of readLines(input, longest)) {
    if (line === 'too-long') {
      await answer(refusal(-32600, `message longer than ${longest} bytes (skipped)`));
      continue;
    }
    const text = line.toString('utf8').trim();
    if (text === '') continue;
    const message = parseJson(text);
    if (message === undefined) await answer(refusal(-32700, 'this line is not JSON'));
    else if (!isObject(message))
      await answer(refusal(-32600, 'a message is one JSON object per line; batches are not supported'));
    // Its content is checked by the receiver.
    else yield message as AnyMessage;
  }
}

/** A broken input ends like a closed one. */
async function* readLines(input: Readable, longest: number): AsyncGenerator<Buffer | 'too-long', void, undefined> {
  let pieces: Buffer[] = [];
  let length = 0;
  let skipping = false;
  try {
    for await (const chunk of input as AsyncIterable<Buffer>) {
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
        const whole = length + at - from;
        yield skipping || whole > longest ? 'too-long' : Buffer.concat([...pieces, chunk.subarray(from, at)]);
        [pieces, length, skipping] = [[], 0, false];
        from = at + 1;
      }
      length += chunk.length - from;
      if (length > longest) [pieces, skipping] = [[], true];
      else if (from < chunk.length) pieces.push(chunk.subarray(from));
    }
  } catch {
    return;
  }
  if (skipping) yield 'too-long';
  else if (pieces.length > 0) yield Buffer.concat(pieces);
}

/** An error for a message whose id is not known. */
function refusal(code: number, message: string): object {
  return { jsonrpc: '2.0', id: null, error: { code, message } };
}
