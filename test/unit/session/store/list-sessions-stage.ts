/** What the tests of list-sessions.test.ts share with those of test:long. */

import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sessionLayout } from '../../../../src/config/paths.js';
import type { Host } from '../../../../src/host/host.js';
import { nodeHost } from '../../../../src/host/node-host.js';
import type { DurableEvent } from '../../../../src/protocol/events.js';
import { admitted, ended, epoch, joined, linesOf, replied, started, turn } from '../sample-events.js';

export const host = nodeHost('/');

export function session(id: string, prompt = 'first words of it'): DurableEvent[] {
  return [
    started(id),
    admitted('about the machine', 'reminder'),
    admitted(prompt),
    joined(2, 3),
    turn(),
    epoch(),
    replied([{ type: 'text', text: 'ok' }]),
    ended(),
  ];
}

export async function save(
  home: string,
  id: string,
  events = session(id),
  options: { project?: string; age?: number } = {},
) {
  const layout = sessionLayout(home, options.project ?? 'p', id);
  await mkdir(join(layout.file, '..'), { recursive: true });
  await writeFile(layout.file, Buffer.concat(linesOf(events)));
  const time = (Date.now() - (options.age ?? 0)) / 1000;
  await utimes(layout.file, time, time);
  return layout;
}

/** Counts the bytes that are read from files. */
export function counting(): { host: Host; bytes(): number; largest(): number } {
  let bytes = 0;
  let largest = 0;
  const note = (length: number) => {
    bytes += length;
    largest = Math.max(largest, length);
  };
  const files: Host['files'] = {
    ...host.files,
    read: async (path) => {
      const content = await host.files.read(path);
      note(content.length);
      return content;
    },
    openRead: async (path) => {
      const handle = await host.files.openRead(path);
      return {
        ...handle,
        read: async (position, length) => {
          const content = await handle.read(position, length);
          note(content.length);
          return content;
        },
      };
    },
  };
  return { host: { ...host, files }, bytes: () => bytes, largest: () => largest };
}
