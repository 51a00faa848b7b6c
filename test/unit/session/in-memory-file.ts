/** The files of this machine, with one transcript, `/s.jsonl`, that is held in memory. */

import type { Files } from '../../../src/host/files.js';
import { nodeHost } from '../../../src/host/node-host.js';

const real = nodeHost('/');

export function holding(content: Buffer): Files {
  const owner = { user: 0, group: 0 };
  const times = { mtimeMs: 0, ctimeMs: 0 };
  const stat = { kind: 'file' as const, size: content.length, ...times, mode: 0, owner, links: 1, identity: '' };
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
