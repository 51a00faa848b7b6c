/**
 * The files of a memory folder, as people are shown them: its Markdown files, nothing below it and nothing behind a
 * link (ME-3). The folder is held by its real path: what was checked is what is read.
 */

import { errorCode, type FileStat, type Files, type HeldFolder } from '../../host/files.js';
import { reasonOf } from '../../protocol/reason-of.js';

/** A file of a memory folder. */
export type MemoryFile = { readonly name: string; readonly text: string };

export type MemoryFileFacts = { readonly name: string; readonly bytes: number };

export const ENTRY_FILE = 'MEMORY.md';

/** More than a person or an agent keeps; a folder with more is not one of ours. */
const MOST_ENTRIES = 10_000;
const MOST_BYTES = 4 * 1024 * 1024;

type Refused = { readonly ok: false; readonly reason: string };

export type ListedFiles = { readonly ok: true; readonly files: readonly MemoryFileFacts[] } | Refused;

/** `MEMORY.md` first, then by name. A folder that is not there has none. */
export function listMemoryFiles(files: Files, folder: string): Promise<ListedFiles> {
  return inFolder(files, folder, { ok: true, files: [] }, async (held) => ({ ok: true, files: await listHeld(held) }));
}

export type ReadFiles = { readonly ok: true; readonly files: readonly MemoryFile[] } | Refused;

/** All of them, or those of these names. One that can't be read is a reason for none. */
export function readMemoryFiles(files: Files, folder: string, only?: readonly string[]): Promise<ReadFiles> {
  return inFolder<ReadFiles>(files, folder, { ok: true, files: [] }, async (held) => {
    const names = only ?? (await listHeld(held)).map(({ name }) => name);
    const read: MemoryFile[] = [];
    for (const name of names) read.push({ name, text: await readHeld(held, name) });
    return { ok: true, files: read };
  });
}

async function inFolder<T>(
  files: Files,
  folder: string,
  ifAbsent: T,
  work: (held: HeldFolder) => Promise<T>,
): Promise<T | Refused> {
  try {
    const held = await files.holdFolder(folder);
    try {
      return await work(held);
    } finally {
      await held.close();
    }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return ifAbsent;
    return { ok: false, reason: `${folder}: ${reasonOf(error)}` };
  }
}

async function listHeld(held: HeldFolder): Promise<readonly MemoryFileFacts[]> {
  const entries = await held.list(MOST_ENTRIES + 1);
  if (entries.length > MOST_ENTRIES) throw new Error(`it has more than ${MOST_ENTRIES} entries`);
  const found: MemoryFileFacts[] = [];
  for (const { name, kind } of entries) {
    if (kind !== 'file' || !isMarkdown(name)) continue;
    const stat = await held.lstat(name);
    if (stat?.kind === 'file') found.push({ name, bytes: stat.size });
  }
  return found.sort((a, b) => rank(a.name) - rank(b.name) || (a.name < b.name ? -1 : 1));
}

function rank(name: string): number {
  return name === ENTRY_FILE ? 0 : 1;
}

function isMarkdown(name: string): boolean {
  return name.endsWith('.md') && !name.startsWith('.');
}

async function readHeld(held: HeldFolder, name: string): Promise<string> {
  const file = await held.openRead(name).catch((error: unknown) => {
    throw new Error(`${name} can't be read: ${errorCode(error) === 'ELOOP' ? 'it is a link' : reasonOf(error)}`);
  });
  try {
    const stat = await file.stat();
    const reason = whyNotRead(stat);
    if (reason !== undefined) throw new Error(`${name} can't be read: ${reason}`);
    return (await file.read(0, stat.size)).toString('utf8');
  } finally {
    await file.close();
  }
}

function whyNotRead({ kind, links, size }: FileStat): string | undefined {
  if (kind !== 'file') return 'it is not a regular file';
  if (links > 1) return 'it is also a file elsewhere (a hard link)';
  return size > MOST_BYTES ? `it is too large (${size} bytes, at most ${MOST_BYTES})` : undefined;
}
