import { appendFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nodeHost } from '../../../../src/host/node-host.js';
import { parseBlock } from '../../../../src/protocol/frozen-block.js';
import { IndexedTranscript } from '../../../../src/session/transcript/indexed-transcript.js';
import { scratchFolder } from '../../../support/scratch.js';
import { admitted, linesOf, started, turn } from '../sample-events.js';

const { files } = nodeHost('/');

type Segments = readonly (readonly (Buffer | string)[])[];

const LINES = linesOf([started(), ...Array.from({ length: 20 }, (_, n) => admitted(`words ${n + 2}`))]);

const lines = (from: number, to: number) => LINES.slice(from - 1, to);

const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

describe('a transcript by place', () => {
  it('TU-9: every record is given once, in order, from either end and in steps of any size', async () => {
    await expectAll(await written(LINES), upTo(21));
    await expectAll(await written([]), []);
    await expectAll(join(await scratchFolder(), 'none.jsonl'), []);
    expect(await new IndexedTranscript(files, undefined).size()).toBe(0);
  });

  it('TU-9: parts around any place join there, in any record', async () => {
    const path = await written(lines(1, 4));
    const transcript = new IndexedTranscript(files, path);
    for (let place = 0; place <= (await transcript.size()); place += 7) {
      const above = await transcript.before(place, 1_000_000);
      const below = await transcript.after(place, 1_000_000);
      expect(above.to).toBe(below.from);
      expect([...above.events, ...below.events].map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    }
  });

  it('TU-9: repeated records are returned once; records that were not repeated are not lost', async () => {
    await expectAll(await written(lines(1, 9), lines(8, 21)), upTo(21));
    await expectAll(await written(lines(1, 9), lines(10, 15), lines(15, 21)), upTo(21));
    // Its process ended while it copied.
    await expectAll(await written(lines(1, 9), [...lines(7, 7), ...lines(10, 21)]), upTo(21));
    await expectAll(await written([...lines(1, 9), 'half a rec'], lines(9, 21)), upTo(21));
    await expectAll(await written(lines(1, 9), []), upTo(9));
  });

  it('TU-9: damaged lines are counted and hide no other; a rewritten record is returned in its last form', async () => {
    const path = await written([...lines(1, 3), 'not a record\n', '\n', ...lines(4, 6)]);
    await expectAll(path, upTo(6));
    expect(await new IndexedTranscript(files, path).after(0, 1_000_000)).toMatchObject({ damaged: 1 });
    const [first, again] = [admitted('first try'), admitted('second try')].map(
      (event) => linesOf([started(), event])[1],
    );
    const twice = await written([...lines(1, 1), first ?? '', again ?? '']);
    await expectAll(twice, [1, 2]);
    const { events } = await new IndexedTranscript(files, twice).before(1_000_000, 1);
    const said = events.flatMap(({ event }) => ('blocks' in event ? event.blocks.map(parseBlock) : []));
    expect(said).toEqual([{ type: 'text', text: 'second try' }]);
  });

  it('TU-9: it is live: a record is visible once its line is complete, also in a new segment', async () => {
    const path = await written(lines(1, 2));
    const transcript = new IndexedTranscript(files, path);
    const following = async (place: number) => {
      const { events, to } = await transcript.after(place, 1_000_000);
      return { numbers: events.map(({ seq }) => seq), to };
    };
    const { to } = await following(0);
    const third = LINES[2] ?? Buffer.alloc(0);
    await appendFile(path, third.subarray(0, 50));
    expect(await following(to)).toEqual({ numbers: [], to });
    // The write has failed, and is cut back.
    await truncate(path, to);
    expect(await following(to)).toEqual({ numbers: [], to });
    await appendFile(path, third);
    expect((await following(to)).numbers).toEqual([3]);
    const next = path.replace('.jsonl', '.1.jsonl');
    await writeFile(next, '');
    expect((await following(to)).numbers).toEqual([3]);
    await writeFile(next, Buffer.concat(lines(3, 5)));
    expect((await following(to)).numbers).toEqual([3, 4, 5]);
    expect(await upwards(transcript, 1)).toEqual(upTo(5));
  });

  it('TU-9: text is found up and down, whatever its case, in what people read and nowhere else', async () => {
    const events = [
      started(),
      admitted('Look at the Cookie "jar"'),
      turn(1),
      admitted('nothing'),
      admitted('a cookie again\nand Ünder'),
    ];
    const path = await written(linesOf(events));
    const transcript = new IndexedTranscript(files, path);
    const size = await transcript.size();
    const { events: all } = await transcript.after(0, size);
    const placeOf = (seq: number) => all.find((one) => one.seq === seq)?.place;
    expect(await transcript.find('cookie', 0, 'down')).toBe(placeOf(2));
    expect(await transcript.find('COOKIE', (placeOf(2) ?? 0) + 1, 'down')).toBe(placeOf(5));
    expect(await transcript.find('cookie', (placeOf(5) ?? 0) + 1, 'down')).toBeUndefined();
    expect(await transcript.find('cookie', size, 'up')).toBe(placeOf(5));
    expect(await transcript.find('cookie', placeOf(5) ?? 0, 'up')).toBe(placeOf(2));
    expect(await transcript.find('cookie', placeOf(2) ?? 0, 'up')).toBeUndefined();
    expect(await transcript.find('"jar"', 0, 'down')).toBe(placeOf(2));
    expect(await transcript.find('again\nand ünd', 0, 'down')).toBe(placeOf(5));
    for (const machine of ['input-admitted', 'parent', 'person', '']) {
      expect(await transcript.find(machine, 0, 'down'), machine).toBeUndefined();
    }
    const over = AbortSignal.abort();
    expect(await transcript.find('cookie', 0, 'down', over)).toBeUndefined();
  });
});

async function written(...segments: Segments): Promise<string> {
  const path = join(await scratchFolder(), 's.jsonl');
  for (const [index, parts] of segments.entries()) {
    const file = index === 0 ? path : path.replace('.jsonl', `.${index}.jsonl`);
    await writeFile(file, Buffer.concat(parts.map((part) => Buffer.from(part))));
  }
  return path;
}

/** All records, in steps of so many bytes, from the end or from the beginning. */
async function upwards(transcript: IndexedTranscript, bytes: number): Promise<number[]> {
  const all: number[] = [];
  for (let place = await transcript.size(); ; ) {
    const { events, from } = await transcript.before(place, bytes);
    if (events.length === 0) return all;
    all.unshift(...events.map(({ seq }) => seq));
    place = from;
  }
}

async function downwards(transcript: IndexedTranscript, bytes: number): Promise<number[]> {
  const all: number[] = [];
  for (let place = 0; ; ) {
    const { events, to } = await transcript.after(place, bytes);
    if (events.length === 0) return all;
    all.push(...events.map(({ seq }) => seq));
    place = to;
  }
}

async function expectAll(path: string, numbers: readonly number[]): Promise<void> {
  for (const bytes of [1, 200, 1000, 1_000_000]) {
    expect(await upwards(new IndexedTranscript(files, path), bytes), `up by ${bytes}`).toEqual(numbers);
    expect(await downwards(new IndexedTranscript(files, path), bytes), `down by ${bytes}`).toEqual(numbers);
  }
}
