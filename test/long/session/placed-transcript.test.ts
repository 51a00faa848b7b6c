import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Files } from '../../../src/host/files.js';
import { nodeHost } from '../../../src/host/node-host.js';
import { IndexedTranscript } from '../../../src/session/transcript/indexed-transcript.js';
import { scratchFolder } from '../../support/scratch.js';
import { admitted, linesOf, started } from '../../unit/session/sample-events.js';

const { files } = nodeHost('/');

describe('a transcript by place', () => {
  it('TU-9: any place of 100 MB is read without the rest, and so is its end', async () => {
    const path = join(await scratchFolder(), 's.jsonl');
    const size = await writeLarge(path, 100 * 1024 * 1024);
    const counted = countReads(files);
    const transcript = new IndexedTranscript(counted.files, path);
    expect(await transcript.size()).toBe(size);
    for (const place of [0, size / 3, size / 2, size - 1, size].map(Math.floor)) {
      for (const way of ['before', 'after'] as const) {
        counted.bytes = 0;
        const { events } = await transcript[way](place, 64 * 1024);
        if (way === 'before' ? place > 0 : place < size) expect(events.length).toBeGreaterThan(0);
        expect(counted.bytes, `${way} ${place}`).toBeLessThan(512 * 1024);
      }
    }
  });
});

/** Records of about 2 KB, one in a thousand of 100 KB. */
async function writeLarge(path: string, bytes: number): Promise<number> {
  const handle = await open(path, 'w');
  const sample = (length: number) => linesOf([started(), admitted('x'.repeat(length))])[1]?.toString() ?? '';
  const [small, large] = [sample(2_000), sample(100_000)];
  let size = 0;
  let seq = 1;
  while (size < bytes) {
    const part: string[] = [];
    for (let n = 0; n < 1000; n += 1, seq += 1) {
      part.push((n === 500 ? large : small).replace('"seq":2', `"seq":${seq}`));
    }
    const block = Buffer.from(part.join(''));
    await handle.write(block);
    size += block.length;
  }
  await handle.close();
  return size;
}

function countReads(real: Files): { bytes: number; readonly files: Files } {
  const counted = {
    bytes: 0,
    files: {
      ...real,
      openRead: async (path: string) => {
        const handle = await real.openRead(path);
        return {
          ...handle,
          stat: () => handle.stat(),
          close: () => handle.close(),
          read: async (position: number, length: number) => {
            const read = await handle.read(position, length);
            counted.bytes += read.length;
            return read;
          },
        };
      },
    },
  };
  return counted;
}
