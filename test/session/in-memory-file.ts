/** The files of this machine, with one transcript, `/s.jsonl`, that is held in memory. */

import type { Files } from '../../src/host/files.js';
import { nodeHost } from '../../src/host/node-host.js';

const real = nodeHost('/');

export function holding(content: Buffer): Files {
  const stat = { kind: 'file' as const, size: content.length, mtimeMs: 0, mode: 0, links: 1, identity: '' };
  return {
    ...real.files,
    stat: async (path) => (path.endsWith('s.jsonl') ? stat : undefined),
    openRead: async () => ({
      read: async (position, length) => content.subarray(position, position + length),
      stat: async () => stat,
      close: async () => {},
    }),
  };
}
