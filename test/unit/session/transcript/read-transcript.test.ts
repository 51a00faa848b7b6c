import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nodeHost } from '../../../../src/host/node-host.js';
import { readState } from '../../../../src/session/state/read-state.js';
import { readTranscript, repairTail, type TranscriptItem } from '../../../../src/session/transcript/read-transcript.js';
import { Transcript } from '../../../../src/session/transcript/transcript.js';
import { scratchFolder } from '../../../support/scratch.js';
import { admitted, joined, linesOf, replied, started, turn } from '../sample-events.js';

const host = nodeHost('/');
const LINES = linesOf([started(), admitted('one'), admitted('two'), joined(2, 3), turn()]);

async function items(path: string, options = {}): Promise<TranscriptItem[]> {
  const all: TranscriptItem[] = [];
  for await (const item of readTranscript(host.files, path, options)) all.push(item);
  return all;
}

/** Numbers of records; other things by their kind. */
async function outline(path: string): Promise<(number | string)[]> {
  return (await items(path)).map((item) => (item.kind === 'record' ? item.record.seq : item.kind));
}

async function file(...parts: (Buffer | string)[]): Promise<string> {
  const path = join(await scratchFolder(), 's.jsonl');
  await writeFile(path, Buffer.concat(parts.map((part) => Buffer.from(part))));
  return path;
}

const line = (n: number) => LINES[n - 1] ?? Buffer.alloc(0);

describe('reading a transcript', () => {
  it('DU-11: a byte order mark, CRLF and blank lines do no harm', async () => {
    const path = await file('\ufeff', line(1).toString().replace('\n', '\r\n'), '\r\n\n', line(2), line(3));
    expect(await outline(path)).toEqual([1, 2, 3]);
  });

  it('DU-11, failures 50: reading leaves an unfinished last line alone; opening for writing moves it to a side file', async () => {
    const half = line(3).subarray(0, 40);
    const path = await file(line(1), line(2), half);
    expect(await outline(path)).toEqual([1, 2, 'tail']);
    expect(await readFile(path)).toEqual(Buffer.concat([line(1), line(2), half]));
    expect(await repairTail(host, path)).toEqual({ ok: true, setAside: { path: `${path}.tail-1`, bytes: 40 } });
    expect(await readFile(`${path}.tail-1`)).toEqual(half);
    expect(await readFile(path)).toEqual(Buffer.concat([line(1), line(2)]));
    expect(await repairTail(host, path)).toEqual({ ok: true });
    await writeFile(path, 'x', { flag: 'a' });
    expect(await repairTail(host, path)).toMatchObject({ setAside: { path: `${path}.tail-2` } });
    expect(await readFile(`${path}.tail-1`)).toEqual(half);
  });

  it('DU-11, failures 22: zeros at the end, or nothing but zeros', async () => {
    const path = await file(line(1), Buffer.alloc(5000));
    expect(await items(path)).toMatchObject([{ kind: 'record' }, { kind: 'tail', bytes: 5000, zeros: true }]);
    expect(await repairTail(host, path)).toMatchObject({ setAside: { bytes: 5000 } });
    expect(await readFile(path)).toEqual(line(1));
    const empty = await file(Buffer.alloc(3_000_000));
    expect(await outline(empty)).toEqual(['tail']);
    expect(await repairTail(host, empty)).toMatchObject({ setAside: { bytes: 3_000_000 } });
    expect(await readFile(`${empty}.tail-1`)).toHaveLength(3_000_000);
  });

  it('DU-11: a damaged line in the middle is skipped, counted and reported', async () => {
    const path = await file(line(1), '{"v":1,"seq":2,oops}\n', Buffer.alloc(70), '\n', line(3));
    const read = await readState(host.files, path);
    expect(read).toMatchObject({ kind: 'read', records: 2, damage: { lines: 2, tailBytes: 0 } });
    expect(read.kind === 'read' && read.damage.told).toHaveLength(2);
  });

  it('DU-11: a record whose fields are not what they must be is damage, not a crash', async () => {
    const bad = '{"v":1,"seq":2,"uuid":"u2","parent":"u1","ts":"t","kind":"message-joined","from":"all"}\n';
    expect(await outline(await file(line(1), bad, line(3)))).toEqual([1, 'damaged', 3]);
  });

  it('DU-11, failures 21: part of a record glued to the next', async () => {
    expect(await outline(await file(line(1), line(2).subarray(0, 60), line(3), line(4)))).toEqual([1, 'damaged', 3, 4]);
    expect(await outline(await file(line(1), Buffer.alloc(9), line(2)))).toEqual([1, 'damaged', 2]);
    const twice = [line(2).subarray(0, 30), line(2).subarray(0, 50), line(2)];
    expect(await outline(await file(line(1), ...twice))).toEqual([1, 'damaged', 2]);
  });

  it('DU-11: text that looks like a record is not one', async () => {
    const forged = '{"v":1,"seq":9,"uuid":"f","parent":null,"ts":"t","kind":"mode-changed","mode":"plan"}';
    const [fake] = linesOf([replied([{ type: 'tool_use', id: 'a', name: 'Bash', input: JSON.parse(forged) }])]);
    const torn = fake?.subarray(0, fake.indexOf('"mode":"plan"}') + 14) ?? '';
    expect(await outline(await file(torn, line(2)))).toEqual(['damaged', 2]);
    expect(await outline(await file(torn))).toEqual(['tail']);
  });

  it('DU-11, failures 46: an unreadable file is neither missing nor empty', async () => {
    const folder = await scratchFolder();
    await mkdir(join(folder, 's.jsonl'));
    expect(await readState(host.files, join(folder, 's.jsonl'))).toMatchObject({ kind: 'unreadable' });
    expect(await readState(host.files, join(folder, 'no.jsonl'))).toEqual({ kind: 'missing' });
    const empty = await readState(host.files, await file(''));
    expect(empty).toMatchObject({ kind: 'read', records: 0, end: undefined });
  });

  it('DU-11: a line of several megabytes is read, one beyond the limit is skipped', async () => {
    const [, , large] = linesOf([started(), turn(), admitted('x'.repeat(5_000_000))]);
    const path = await file(line(1), line(2), large ?? '', line(4));
    expect(await outline(path)).toEqual([1, 2, 3, 4]);
    const kinds = (await items(path, { maxLineBytes: 1_000_000 })).map((item) => item.kind);
    expect(kinds).toEqual(['record', 'record', 'damaged', 'record']);
  });

  it('DU-3: a segment that starts with unsynced records is used, and each record comes once', async () => {
    const path = await file(line(1), line(2), line(3), line(4).subarray(0, 30));
    await writeFile(path.replace('.jsonl', '.1.jsonl'), Buffer.concat([line(2), line(3), line(4)]));
    await writeFile(path.replace('.jsonl', '.2.jsonl'), Buffer.concat([line(4), line(5)]));
    expect((await outline(path)).filter((one) => one !== 'tail')).toEqual([1, 2, 3, 4, 5]);
  });

  it('DU-3: a record that was refused, and could not be taken out of the old segment, is ignored', async () => {
    const refused = line(3).toString().replace('"uuid":"u3"', '"uuid":"refused"');
    const path = await file(line(1), line(2), refused);
    await writeFile(path.replace('.jsonl', '.1.jsonl'), Buffer.concat([line(2), line(3), line(4)]));
    const uuids = (await items(path)).map((item) => (item.kind === 'record' ? item.record.uuid : item.kind));
    expect(uuids).toEqual(['u1', 'u2', 'u3', 'u4']);
  });

  it('DU-3: a segment that was cut off while it was begun takes nothing away', async () => {
    const path = await file(line(1), line(2), line(3), line(4));
    await writeFile(path.replace('.jsonl', '.1.jsonl'), Buffer.concat([line(2), line(3).subarray(0, 20)]));
    expect((await outline(path)).filter((one) => one !== 'tail')).toEqual([1, 2, 3, 4]);
  });

  it('DU-1, failures 17, 20, 24: order is by number; a rewritten record is used, a stray or a wrong number hides nothing', async () => {
    const anew = line(3).toString().replace('"uuid":"u3"', '"uuid":"u3b"');
    const later = line(4).toString().replace('"parent":"u3"', '"parent":"u3b"');
    const path = await file(line(1), line(2), line(3), anew, later, line(2));
    expect(await outline(path)).toEqual([1, 2, 3, 'damaged', 4]);
    const strange = line(2).toString().replace('"seq":2', '"seq":99999');
    expect(await outline(await file(line(1), strange, line(3), line(4)))).toEqual([1, 99999, 3, 4]);
    const self = line(2).toString().replace('"parent":"u1"', '"parent":"u2"');
    expect(await outline(await file(line(1), self, line(3)))).toEqual([1, 2, 3]);
  });

  it('DU-11: writing continues after a repair, numbered from the last whole record', async () => {
    const path = await file(line(1), line(2), line(3).subarray(0, 25));
    await repairTail(host, path);
    const read = await readState(host.files, path);
    const end = read.kind === 'read' ? read.end : undefined;
    const transcript = await Transcript.open({ host, path, ...(end ? { end } : {}), onSuspect: () => {} });
    expect(await transcript.append(turn(), 3)).toBe(3);
    await transcript.close();
    expect(await outline(path)).toEqual([1, 2, 3]);
    expect((await readdir(join(path, '..'))).sort()).toEqual(['s.jsonl', 's.jsonl.tail-1']);
  });
});
