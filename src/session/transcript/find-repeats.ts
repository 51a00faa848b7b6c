/**
 * Finds the records that a new segment of a transcript repeats. It starts with the unsynced records of the one before;
 * if it has all of them, its copies are used, otherwise the earlier ones.
 */

import type { Files } from '../../host/files.js';
import { readSegment } from './read-segment.js';

export type Repeats = {
  /** Records from this byte on are repeated in the next segment. */
  readonly seenTo: number;
  /** Numbers of records in this segment that the one before also has. */
  readonly hidden: ReadonlySet<number>;
  /** The same for the next segment. */
  readonly inNext: ReadonlySet<number>;
};

export const NO_REPEATS: Repeats = { seenTo: Number.POSITIVE_INFINITY, hidden: new Set(), inNext: new Set() };

/** The size of the first search from the end of a segment. */
const FIRST_SEARCH = 256 * 1024;

/** Undefined if the next segment is still empty. */
export async function findRepeats(files: Files, path: string, next: string): Promise<Repeats | undefined> {
  const [first] = await numbersIn(files, next, { most: 1 });
  if (first === undefined) return undefined;
  const ended = await endFrom(files, path, first.seq);
  const again = ended.filter(({ seq }) => seq >= first.seq);
  if (again.length === 0) return NO_REPEATS;
  const last = Math.max(...again.map(({ seq }) => seq));
  const copied = new Set((await numbersIn(files, next, { upTo: last })).map(({ seq }) => seq));
  const isWhole = again.every(({ seq }) => copied.has(seq));
  if (isWhole) return { ...NO_REPEATS, seenTo: Math.min(...again.map(({ at }) => at)) };
  return { ...NO_REPEATS, inNext: new Set(again.map(({ seq }) => seq)) };
}

type Numbered = { readonly seq: number; readonly at: number };

/** The last records of a segment, with one before `seq` if there is one. */
async function endFrom(files: Files, path: string, seq: number): Promise<readonly Numbered[]> {
  const size = (await files.stat(path))?.size ?? 0;
  for (let length = FIRST_SEARCH; ; length *= 4) {
    const start = length >= size ? 0 : await nextLine(files, path, size - length);
    const found = start === undefined ? [] : await numbersIn(files, path, { start });
    if (length >= size || found.some((one) => one.seq < seq)) return found;
  }
}

async function nextLine(files: Files, path: string, from: number): Promise<number | undefined> {
  const handle = await files.openRead(path);
  try {
    const newline = (await handle.read(from, FIRST_SEARCH)).indexOf(0x0a);
    return newline < 0 ? undefined : from + newline + 1;
  } finally {
    await handle.close();
  }
}

async function numbersIn(
  files: Files,
  path: string,
  { start = 0, most = Number.POSITIVE_INFINITY, upTo = Number.POSITIVE_INFINITY },
): Promise<readonly Numbered[]> {
  const found: Numbered[] = [];
  for await (const item of readSegment(files, path, 0, { start })) {
    if (item.kind !== 'record') continue;
    if (item.record.seq > upTo) break;
    found.push({ seq: item.record.seq, at: item.at });
    if (found.length >= most) break;
  }
  return found;
}
