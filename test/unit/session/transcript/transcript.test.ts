import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AppendHandle } from '../../../../src/host/files.js';
import type { Host } from '../../../../src/host/host.js';
import { nodeHost } from '../../../../src/host/node-host.js';
import type { DurableEvent } from '../../../../src/protocol/events.js';
import { freezeBlock, freezeToolUse } from '../../../../src/protocol/frozen-block.js';
import { TranscriptError } from '../../../../src/session/transcript/append-port.js';
import { decodeRecord, encodeRecord } from '../../../../src/session/transcript/record.js';
import { segmentsOf, Transcript } from '../../../../src/session/transcript/transcript.js';
import { scratchFolder } from '../../../support/scratch.js';

const words = (text: string): DurableEvent => ({
  kind: 'input-admitted',
  origin: 'person',
  blocks: [freezeBlock({ type: 'text', text })],
});
const turn = (n: number): DurableEvent => ({ kind: 'turn-started', turn: n });

/** The real machine, with the calls on one file's handle replaced. */
function withHandle(host: Host, change: (handle: AppendHandle) => AppendHandle): Host {
  return { ...host, files: { ...host.files, openAppend: async (path) => change(await host.files.openAppend(path)) } };
}

async function open(host: Host, path: string, told: string[] = []) {
  return Transcript.open({ host, path, onSuspect: (line) => told.push(line) });
}

async function lines(path: string): Promise<string[]> {
  return (await readFile(path, 'utf8')).split('\n').filter(Boolean);
}

describe('a transcript', () => {
  it('DU-1: one JSON record a line, numbered without gaps, each naming the one before', async () => {
    const path = join(await scratchFolder(), 'deep', 's.jsonl');
    const transcript = await open(nodeHost('/'), path);
    await Promise.all(Array.from({ length: 50 }, (_, index) => transcript.append(turn(index), index + 1)));
    await transcript.close();
    const records = (await lines(path)).map((line) => JSON.parse(line));
    expect(records.map((record) => record.seq)).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
    expect(records.slice(1).map((record) => record.parent)).toEqual(records.slice(0, -1).map((record) => record.uuid));
    expect(records.map((record) => record.turn)).toEqual(Array.from({ length: 50 }, (_, index) => index));
    expect(records.every((record) => record.v === 1 && typeof record.ts === 'string')).toBe(true);
  });

  it('DU-1: unknown kinds and later versions are preserved, and damaged lines are not records', () => {
    const later = decodeRecord(
      Buffer.from('{"v":9,"seq":3,"uuid":"u","parent":null,"ts":"t","kind":"turn-started","new":1}'),
    );
    expect(later).toMatchObject({ seq: 3, unknown: { kind: 'turn-started', new: 1 } });
    const strange = decodeRecord(
      Buffer.from('{"v":1,"seq":3,"uuid":"u","parent":null,"ts":"t","kind":"dance","x":[1]}'),
    );
    expect(strange).toMatchObject({ unknown: { kind: 'dance', x: [1] } });
    for (const line of ['', '{', '[]', 'null', '{"v":1}', '{"v":1,"seq":1,"uuid":"u","blocks":[{]}', '\0\0\0']) {
      expect(decodeRecord(Buffer.from(line)), line).toBeUndefined();
    }
  });

  it('DU-2: one write per record', async () => {
    const writes: number[] = [];
    const host = withHandle(nodeHost('/'), (handle) => ({
      ...handle,
      write: (bytes) => {
        writes.push(bytes.length);
        return handle.write(bytes);
      },
    }));
    const path = join(await scratchFolder(), 's.jsonl');
    const transcript = await open(host, path);
    for (let index = 0; index < 5; index += 1) await transcript.append(words('x'.repeat(100_000)), index + 1);
    await transcript.close();
    expect(writes).toHaveLength(5);
    expect(await lines(path)).toHaveLength(5);
  });

  it('DU-2: a short write is finished', async () => {
    const host = withHandle(nodeHost('/'), (handle) => ({
      ...handle,
      write: (bytes) => handle.write(bytes.subarray(0, 7)),
    }));
    const path = join(await scratchFolder(), 's.jsonl');
    const transcript = await open(host, path);
    await transcript.append(words('whole'), 1);
    await transcript.close();
    expect((await lines(path)).map((line) => JSON.parse(line).kind)).toEqual(['input-admitted']);
  });

  it.each(['ENOSPC', 'EIO'])(
    'DU-2: after %s in mid-record the file is cut back to its last whole record, and continues later',
    async (code) => {
      let fails = false;
      const host = withHandle(nodeHost('/'), (handle) => ({
        ...handle,
        write: async (bytes) => {
          if (!fails) return handle.write(bytes);
          await handle.write(bytes.subarray(0, 20));
          throw Object.assign(new Error('no'), { code });
        },
      }));
      const path = join(await scratchFolder(), 's.jsonl');
      const transcript = await open(host, path);
      await transcript.append(words('kept'), 1);
      fails = true;
      await expect(transcript.append(words('lost'), 2)).rejects.toThrow(TranscriptError);
      expect(await lines(path)).toHaveLength(1);
      fails = false;
      expect(await transcript.append(words('later'), 2)).toBe(2);
      await transcript.close();
      expect((await lines(path)).map((line) => JSON.parse(line).seq)).toEqual([1, 2]);
    },
  );

  it('DU-3: syncs after what must survive a loss of power, and not after the rest', async () => {
    const calls: string[] = [];
    const host = withHandle(nodeHost('/'), (handle) => ({
      ...handle,
      write: (bytes) => {
        calls.push(JSON.parse(Buffer.from(bytes).toString()).kind);
        return handle.write(bytes);
      },
      sync: () => {
        calls.push('sync');
        return handle.sync();
      },
    }));
    const transcript = await open(host, join(await scratchFolder(), 's.jsonl'));
    await transcript.append(words('x'), 1);
    await transcript.append(turn(1), 2);
    await transcript.append({ kind: 'call-intended', call: 'a', tool: 'Bash' }, 3);
    const read = { kind: 'call-finished', call: 'b', tool: 'Read', isError: false, effects: false, ms: 1 } as const;
    await transcript.append({ ...read, blocks: [] }, 4);
    await transcript.append({ ...read, call: 'a', tool: 'Bash', effects: true, blocks: [] }, 5);
    await transcript.append(turn(2), 6);
    await transcript.close();
    expect(calls).toEqual([
      'input-admitted',
      'sync',
      'turn-started',
      'call-intended',
      'sync',
      'call-finished',
      'call-finished',
      'sync',
      'turn-started',
      'sync',
    ]);
  });

  it('DU-3: after a failed sync writing continues in a new segment that starts with the unsynced records, and it is reported', async () => {
    let syncs = 0;
    const host = withHandle(nodeHost('/'), (handle) => ({
      ...handle,
      sync: async () => {
        syncs += 1;
        if (syncs === 2) throw Object.assign(new Error('bad disk'), { code: 'EIO' });
        return handle.sync();
      },
    }));
    const path = join(await scratchFolder(), 's.jsonl');
    const told: string[] = [];
    const transcript = await open(host, path, told);
    await transcript.append(words('one'), 1);
    await transcript.append(turn(1), 2);
    await transcript.append(words('two'), 3);
    await transcript.append(words('three'), 4);
    await transcript.close();
    const segments = await segmentsOf(nodeHost('/').files, path);
    expect(segments).toHaveLength(2);
    expect((await lines(segments[1] ?? '')).map((line) => JSON.parse(line).seq)).toEqual([2, 3, 4]);
    expect(told).toHaveLength(1);
    expect(told[0]).toContain('bad disk');
  });

  it('DU-5: a block’s wire bytes are stored as they are and sliced out again as the same bytes', () => {
    const raw = '{"10":1,"2":2.50,"b":"\\u00e9","a":1e3,"nested":{"9":[ 1 , 2 ],"1":"\\"}]"}}';
    const block = freezeToolUse('toolu_1', 'Write', raw);
    const event: DurableEvent = {
      kind: 'assistant-replied',
      response: 'r',
      model: 'm',
      stop: 'tool_use',
      usage: { input: 1, output: 1, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0 },
      requestBytes: 1,
      blocks: [freezeBlock({ type: 'text', text: 'two\nlines 😀' }), block],
    };
    const line = encodeRecord({ v: 1, seq: 1, uuid: 'u', parent: null, ts: 't' }, event);
    expect(line.toString('utf8').split('\n')).toHaveLength(2);
    const back = decodeRecord(line);
    if (back === undefined || !('event' in back) || back.event.kind !== 'assistant-replied')
      throw new Error('not read back');
    expect(back.event.blocks.map((one) => Buffer.from(one.bytes).toString('utf8'))).toEqual(
      event.blocks.map((one) => Buffer.from(one.bytes).toString('utf8')),
    );
    expect(Buffer.from(back.event.blocks[1]?.bytes ?? []).toString('utf8')).toContain(`"input":${raw}`);
  });

  it('refuses to write through a link, and to write after it was closed', async () => {
    const folder = await scratchFolder();
    const { symlink } = await import('node:fs/promises');
    await writeFile(join(folder, 'elsewhere'), '');
    await symlink(join(folder, 'elsewhere'), join(folder, 's.jsonl'));
    await expect(open(nodeHost('/'), join(folder, 's.jsonl'))).rejects.toMatchObject({ cause: { code: 'ELOOP' } });
    const transcript = await open(nodeHost('/'), join(folder, 't.jsonl'));
    await transcript.close();
    await expect(transcript.append(turn(1), 1)).rejects.toThrow('closed');
  });
});
