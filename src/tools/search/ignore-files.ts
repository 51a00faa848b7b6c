/**
 * Finds files of ignore rules that ripgrep can't read to their end: it would wait for a pipe, and read a device behind a
 * link forever (GT-32).
 */

import { dirname, join } from 'node:path';
import type { Files } from '../../host/files.js';

const NAMES = ['.gitignore', '.ignore', '.rgignore'] as const;
const ABOVE = [...NAMES, join('.git', 'info', 'exclude')];

/** Looks in a folder and its parents. */
export async function findEndlessAbove(files: Files, folder: string): Promise<string | undefined> {
  for (const name of ABOVE) if (await isEndless(files, join(folder, name))) return join(folder, name);
  const parent = dirname(folder);
  return parent === folder ? undefined : findEndlessAbove(files, parent);
}

/** Looks in the folders below, without following links, until `signal` is aborted. */
export async function findEndlessBelow(files: Files, top: string, signal: AbortSignal): Promise<string | undefined> {
  const open = [top];
  for (let folder = open.pop(); folder !== undefined && !signal.aborted; folder = open.pop()) {
    for (const { name, kind } of await files.list(folder).catch(() => [])) {
      const path = join(folder, name);
      if (kind === 'folder' && name !== '.git') open.push(path);
      const isSuspect = kind !== 'folder' && kind !== 'file' && NAMES.some((one) => one === name);
      if (isSuspect && (await isEndless(files, path))) return path;
    }
  }
  return undefined;
}

/** What can't be opened ends at once. */
async function isEndless(files: Files, path: string): Promise<boolean> {
  const stat = await files.stat(path).catch(() => undefined);
  return stat?.kind === 'other';
}

export function explainEndless(path: string): string {
  return `${path} is a pipe or a device, so the files to ignore can't be determined. Remove it, or search a folder that it does not apply to.`;
}
