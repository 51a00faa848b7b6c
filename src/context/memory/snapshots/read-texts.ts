/** Reads the .md files of a memory folder: plain ones, directly in it, as bytes. Others may have put anything there. */

import type { Entry, HeldFolder } from '../../../host/files.js';
import { byteSize } from '../../../protocol/format-numbers.js';

/** The .md files of a folder, by name. The bytes are never decoded where they are only copied. */
export type Texts = ReadonlyMap<string, Buffer>;

export type ReadTexts = {
  readonly texts: Texts;
  /** The names of .md files that are not plain ones. */
  readonly leftOut: readonly string[];
  /** The names of folders below: their notes are the agent's own, and no part of a snapshot. */
  readonly folders: readonly string[];
  /** Messages for the user: files left out, and why. */
  readonly remarks: readonly string[];
};

/** The limits of what one update reads. A folder of notes has far less. */
export type Budget = { files: number; bytes: number };

export const MOST_FILES = 2_000;
export const MOST_BYTES = 32 * 1024 * 1024;

export function newBudget(): Budget {
  return { files: MOST_FILES, bytes: MOST_BYTES };
}

export function isText(name: string): boolean {
  return /\.md$/i.test(name);
}

export async function readTexts(folder: HeldFolder, budget: Budget): Promise<ReadTexts> {
  const texts = new Map<string, Buffer>();
  const leftOut: string[] = [];
  const folders: string[] = [];
  const remarks: string[] = [];
  for (const { name, kind } of await listAll(folder)) {
    if (kind === 'folder') folders.push(name);
    if (!isText(name) || kind === 'folder') continue;
    const read = await readWithin(folder, name, budget);
    if (read.kind === 'read') texts.set(name, read.bytes);
    else {
      leftOut.push(name);
      const reason = read.kind === 'absent' ? 'its name can’t be read, or it is gone' : read.reason;
      remarks.push(`${shownName(folder, name)} was left out: ${reason}`);
    }
  }
  return { texts: new Map([...texts].sort(([a], [b]) => (a < b ? -1 : 1))), leftOut, folders, remarks };
}

/** Checks whether there is an .md file of any kind. Returns true if there are too many names to know. */
export async function hasTexts(folder: HeldFolder): Promise<boolean> {
  const entries = await folder.list(MOST_FILES + 1);
  return entries.length > MOST_FILES || entries.some(({ name, kind }) => isText(name) && kind !== 'folder');
}

/** Throws if there are too many: a part would be arbitrary. */
export async function listAll(folder: HeldFolder): Promise<readonly Entry[]> {
  const entries = await folder.list(MOST_FILES + 1);
  if (entries.length > MOST_FILES) throw new Error(`${folder.path} has more than 2,000 entries: move some elsewhere`);
  return entries;
}

/** Throws when the update would be too large. */
export async function readWithin(folder: HeldFolder, name: string, budget: Budget): Promise<PlainFile> {
  const read = await readPlainFile(folder, name, budget.bytes);
  if (read.kind === 'refused' && read.isTooLarge)
    throw new Error(`${folder.path} holds more than ${byteSize(MOST_BYTES)}: move some elsewhere`);
  if (read.kind !== 'read') return read;
  budget.bytes -= read.bytes.length;
  budget.files -= 1;
  if (budget.files < 0) throw new Error(`${folder.path} holds more than 2,000 files: move some elsewhere`);
  return read;
}

export type PlainFile =
  | { readonly kind: 'absent' }
  | { readonly kind: 'read'; readonly bytes: Buffer; readonly mode: number }
  | { readonly kind: 'refused'; readonly reason: string; readonly isTooLarge?: boolean };

/** A link, a second name of another file, a pipe or a device is refused: it may lead anywhere. */
export async function readPlainFile(folder: HeldFolder, name: string, most: number): Promise<PlainFile> {
  const found = await folder.lstat(name);
  if (found === undefined) return { kind: 'absent' };
  if (found.kind !== 'file') return { kind: 'refused', reason: found.kind === 'link' ? 'it is a link' : NOT_PLAIN };
  const file = await folder.openRead(name);
  try {
    // Check the opened file: the name may have been replaced since lstat.
    const { kind, links, size, mode } = await file.stat();
    if (kind !== 'file') return { kind: 'refused', reason: NOT_PLAIN };
    if (links > 1) return { kind: 'refused', reason: 'it is a hard link' };
    const bytes = size > most ? undefined : await file.read(0, size + 1);
    if (bytes === undefined || bytes.length > most)
      return { kind: 'refused', reason: 'it is too large', isTooLarge: true };
    return { kind: 'read', bytes, mode };
  } finally {
    await file.close();
  }
}

const NOT_PLAIN = 'it is not a plain file';

/** A name without control characters, to show. */
export function shownName(folder: HeldFolder | undefined, name: string): string {
  const shown = /[\p{C}"\\]/u.test(name) ? JSON.stringify(name) : name;
  return folder === undefined ? shown : `${folder.path}/${shown}`;
}

export function sameTexts(a: Texts, b: Texts): boolean {
  return changedNames(a, b).length === 0;
}

/** The names that are in only one of them, or whose bytes differ. */
export function changedNames(before: Texts, after: Texts): readonly string[] {
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  return names.filter((name) => {
    const [was, is] = [before.get(name), after.get(name)];
    return was === undefined || is === undefined || !was.equals(is);
  });
}
