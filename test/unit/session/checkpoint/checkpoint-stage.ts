/** What the tests of checkpoint.test.ts share with those of test:long. */

import type { Files } from '../../../../src/host/files.js';
import { nodeHost } from '../../../../src/host/node-host.js';
import { encodeCheckpoint } from '../../../../src/session/checkpoint/checkpoint.js';
import { type ReadState, readState } from '../../../../src/session/state/read-state.js';
import { factsOf } from '../state-facts.js';

export const TRANSCRIPT = '/s.jsonl';

export const PLACE = { path: '/checkpoint', version: '1' };

/** Files held in memory, by path. */
export function holding(content: Record<string, Buffer>): Files {
  const statOf = (path: string) => {
    const bytes = content[path];
    const times = { mtimeMs: 0, ctimeMs: 0 };
    const owner = { user: 0, group: 0 };
    return bytes && { kind: 'file' as const, size: bytes.length, ...times, mode: 0, owner, links: 1, identity: path };
  };
  const bytesOf = (path: string) => {
    const bytes = content[path];
    if (bytes === undefined) throw Object.assign(new Error(`no ${path}`), { code: 'ENOENT' });
    return bytes;
  };
  return {
    ...nodeHost('/').files,
    stat: async (path) => statOf(path),
    read: async (path) => bytesOf(path),
    openRead: async (path) => {
      const bytes = bytesOf(path);
      return {
        // Less than asked for, as the system may do.
        read: async (position, length) => bytes.subarray(position, position + Math.min(length, 777)),
        stat: async () => statOf(path) as NonNullable<ReturnType<typeof statOf>>,
        close: async () => {},
      };
    },
  };
}

export async function read(files: Files, options = {}): Promise<ReadState> {
  const found = await readState(files, TRANSCRIPT, options);
  if (found.kind !== 'read') throw new Error(found.kind === 'unreadable' ? found.reason : found.kind);
  return found;
}

/** Everything a read comes to but how it came to it. */
export function allOf({ state, end, records, unknown, damage }: ReadState) {
  return { ...factsOf(state), cached: state.lastRequest.cached, end, records, unknown, damage };
}

export async function checkpointAfter(content: Record<string, Buffer>, seq: number): Promise<Buffer | undefined> {
  const files = holding(content);
  const { point } = await read(files, { upTo: seq });
  return point && encodeCheckpoint(files, TRANSCRIPT, point, PLACE);
}

export type Fault = { readonly kind: string; readonly at: number };

export function damage(lines: readonly Buffer[], faults: readonly Fault[]): Buffer[] {
  return lines.flatMap((line, index) => {
    switch (faults.find(({ at }) => at % lines.length === index)?.kind) {
      case 'lost':
        return [];
      case 'damaged':
        return [Buffer.from('{"v":1,"seq":\n')];
      case 'repeated':
        return [line, line];
      case 'rewritten':
        return [Buffer.from(line.toString('utf8').replace(/"uuid":"u/, '"uuid":"x')), line];
      case 'unknown':
        return [Buffer.from(line.toString('utf8').replace(/"kind":"[a-z-]+"/, '"kind":"of-later-days"'))];
      default:
        return [line];
    }
  });
}
