/**
 * The files of a memory folder as shown to the user: its Markdown files, nothing in subfolders and nothing behind a
 * link (ME-3). The folder is addressed by its real path, so that what was checked is what is read.
 */

import { holdIfThere, whileHolding } from '../../context/memory/snapshots/held-folders.js';
import {
  isText,
  listAll,
  newBudget,
  readPlainFile,
  readTexts,
  type Texts,
} from '../../context/memory/snapshots/read-texts.js';
import type { HeldFolder } from '../../host/files.js';
import type { Host } from '../../host/host.js';
import { MEMORY_FILE } from '../../protocol/agent-spawned.js';
import { reasonOf } from '../../protocol/reason-of.js';
import type { Failure, Result } from '../../protocol/result.js';

export type MemoryFile = { readonly name: string; readonly text: string };

type ListedFiles = Result<{ readonly files: readonly { readonly name: string; readonly bytes: number }[] }>;

/** `MEMORY.md` first, then by name. A missing folder has none. */
export function listMemoryFiles(host: Host, folder: string): Promise<ListedFiles> {
  return inFolder<ListedFiles>(host, folder, { ok: true, files: [] }, async (held) => {
    const files: { name: string; bytes: number }[] = [];
    for (const { name, kind } of await listAll(held)) {
      const stat = kind === 'file' && isText(name) ? await held.lstat(name) : undefined;
      if (stat?.kind === 'file') files.push({ name, bytes: stat.size });
    }
    return { ok: true, files: files.sort((a, b) => compareNames(a.name, b.name)) };
  });
}

type ReadFiles =
  /** `notes`: what was left out, and why. */
  Result<{ readonly files: readonly MemoryFile[]; readonly notes: readonly string[] }>;

export function readMemoryFiles(host: Host, folder: string): Promise<ReadFiles> {
  return inFolder<ReadFiles>(host, folder, { ok: true, files: [], notes: [] }, async (held) => {
    const { texts, remarks } = await readTexts(held, newBudget());
    return { ok: true, files: inOrder(texts), notes: remarks };
  });
}

export function readMemoryFile(host: Host, folder: string, name: string): Promise<ReadFiles> {
  return inFolder<ReadFiles>(host, folder, { ok: true, files: [], notes: [] }, async (held) => {
    const read = await readPlainFile(held, name, newBudget().bytes);
    if (read.kind === 'read') return { ok: true, files: [{ name, text: read.bytes.toString('utf8') }], notes: [] };
    return { ok: false, reason: `${folder}/${name}: ${read.kind === 'absent' ? 'it is gone' : read.reason}` };
  });
}

function inOrder(texts: Texts): readonly MemoryFile[] {
  const names = [...texts.keys()].sort(compareNames);
  return names.map((name) => ({ name, text: texts.get(name)?.toString('utf8') ?? '' }));
}

function compareNames(a: string, b: string): number {
  if (a === MEMORY_FILE || b === MEMORY_FILE) return a === b ? 0 : a === MEMORY_FILE ? -1 : 1;
  return a < b ? -1 : 1;
}

async function inFolder<T>(
  host: Host,
  folder: string,
  ifAbsent: T,
  work: (held: HeldFolder) => Promise<T>,
): Promise<T | Failure> {
  try {
    return await whileHolding(async (hold) => {
      const held = await holdIfThere(hold, host, folder);
      return held === undefined ? ifAbsent : work(held);
    });
  } catch (error) {
    return { ok: false, reason: `${folder}: ${reasonOf(error)}` };
  }
}
