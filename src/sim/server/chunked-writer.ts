/** Writes a stream in chunks of pseudo-random size, so that events and even characters are split, reproducibly. */

import type { ServerResponse } from 'node:http';

/** Chunk sizes in bytes, uniformly distributed. The same seed gives the same chunks. */
export type Chunking = { readonly seed: number; readonly least?: number; readonly most?: number };

export interface ChunkedWriter {
  write(bytes: Buffer): Promise<void>;
  /** Sends buffered data. */
  flush(): Promise<void>;
}

export function chunkedWriter(response: ServerResponse, chunking: Chunking | undefined): ChunkedWriter {
  if (!chunking) return { write: (bytes) => send(response, bytes), flush: async () => {} };
  const draw = sizes(chunking);
  let held: Buffer = Buffer.alloc(0);
  let size = draw();
  return {
    async write(bytes) {
      held = Buffer.concat([held, bytes]);
      while (held.length >= size) {
        await sendApart(response, held.subarray(0, size));
        held = held.subarray(size);
        size = draw();
      }
    },
    async flush() {
      if (held.length > 0) await sendApart(response, held);
      held = Buffer.alloc(0);
    },
  };
}

/** Resolves when the chunk is sent, or when the connection is closed. */
function send(response: ServerResponse, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    if (response.destroyed || response.write(bytes)) return resolve();
    const done = () => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.once('drain', done);
    response.once('close', done);
  });
}

/** Waits until the chunk has left, so that it arrives separately from the next. */
async function sendApart(response: ServerResponse, bytes: Buffer): Promise<void> {
  await send(response, bytes);
  await new Promise((resolve) => setImmediate(resolve));
}

/** Mulberry32: a small generator, good enough here. */
function sizes({ seed, least = 1, most = 64 }: Chunking): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    const share = ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    return least + Math.floor(share * (most - least + 1));
  };
}
