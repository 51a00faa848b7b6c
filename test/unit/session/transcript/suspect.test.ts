import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Host } from '../../../../src/host/host.js';
import { nodeHost } from '../../../../src/host/node-host.js';
import { readState } from '../../../../src/session/state/read-state.js';
import { TranscriptError } from '../../../../src/session/transcript/append-port.js';
import { Transcript } from '../../../../src/session/transcript/transcript.js';
import { scratchFolder } from '../../../support/scratch.js';
import { admitted, turn } from '../sample-events.js';

const real = nodeHost('/');

/** A machine whose syncs fail, and that makes no new segments, while `broken` is set. */
function breakable(state: { broken: boolean }): Host {
  const check = () => {
    if (state.broken) throw Object.assign(new Error('bad disk'), { code: 'EIO' });
  };
  return {
    ...real,
    files: {
      ...real.files,
      openAppend: async (path) => {
        if (!path.endsWith('s.jsonl')) check();
        const handle = await real.files.openAppend(path);
        return {
          ...handle,
          sync: async () => {
            check();
            await handle.sync();
          },
        };
      },
    },
  };
}

describe('a transcript whose file is suspect', () => {
  it('DU-3: takes no more records, and one that was reported as not saved does not come back', async () => {
    const path = join(await scratchFolder(), 's.jsonl');
    const state = { broken: false };
    const transcript = await Transcript.open({ host: breakable(state), path, onSuspect: () => {} });
    await transcript.append(admitted('one'), 1);
    await transcript.append(turn(1), 2);
    state.broken = true;
    await expect(transcript.append(admitted('refused'), 3)).rejects.toThrow(TranscriptError);
    await expect(transcript.append(turn(2), 3)).rejects.toThrow(TranscriptError);
    state.broken = false;
    expect(await transcript.append(turn(3), 3)).toBe(3);
    expect(await transcript.append(admitted('two'), 4)).toBe(4);
    await transcript.close();
    expect(await readFile(path, 'utf8')).not.toContain('refused');
    const numbers = (text: string) =>
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).seq);
    expect(numbers(await readFile(path, 'utf8'))).toEqual([1, 2]);
    // Records that may be unsynced were copied.
    expect(numbers(await readFile(path.replace('.jsonl', '.1.jsonl'), 'utf8'))).toEqual([2, 3, 4]);
    const read = await readState(real.files, path);
    expect(read).toMatchObject({ records: 4, end: { seq: 4, segment: 1 }, damage: { lines: 0 } });
  });

  it('DU-3: is released when it is closed, also if the last sync fails', async () => {
    const state = { broken: false };
    let open = 0;
    const host = breakable(state);
    const openAppend: Host['files']['openAppend'] = async (path) => {
      const handle = await host.files.openAppend(path);
      open += 1;
      return {
        ...handle,
        close: async () => {
          open -= 1;
          await handle.close();
        },
      };
    };
    const path = join(await scratchFolder(), 's.jsonl');
    const counted = { ...host, files: { ...host.files, openAppend } };
    const transcript = await Transcript.open({ host: counted, path, onSuspect: () => {} });
    await transcript.append(turn(1), 1);
    state.broken = true;
    await expect(transcript.close()).rejects.toThrow(TranscriptError);
    expect(open).toBe(0);
  });
});
