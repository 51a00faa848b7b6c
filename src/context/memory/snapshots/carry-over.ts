/** Copies what an update does not replace from the old folder into the new one. The old one becomes a backup, unchanged. */

import type { FileKind, HeldFolder } from '../../../host/files.js';
import { whileHolding } from './held-folders.js';
import { type Budget, isText, listAll, readWithin, shownName } from './read-texts.js';

const DEEPEST = 8;
/** Temporary files of a write in progress or a killed one. */
const TEMPORARY = /\.coppice-tmp$/;

export type Carrying = {
  readonly isPrivate: boolean;
  readonly budget: Budget;
  /** Names in the new folder that the update writes itself. */
  readonly isReplaced: (name: string) => boolean;
};

/** Returns messages about what was not copied. Throws if it is too much: a part would be arbitrary. */
export async function carryOver(from: HeldFolder, to: HeldFolder, carrying: Carrying): Promise<readonly string[]> {
  const remarks: string[] = [];
  for (const { name, kind } of await listAll(from)) {
    if (TEMPORARY.test(name)) continue;
    if (kind !== 'folder' && (isText(name) || carrying.isReplaced(name))) continue;
    if (carrying.isReplaced(name))
      remarks.push(`${shownName(from, name)} is in the backup only: a file has its name now`);
    else remarks.push(...(await copyEntry({ from, to, ...carrying }, name, kind, 1)));
  }
  return remarks;
}

type Copying = Omit<Carrying, 'isReplaced'> & { readonly from: HeldFolder; readonly to: HeldFolder };

async function copyEntry(copying: Copying, name: string, kind: FileKind, depth: number): Promise<readonly string[]> {
  const { from, to, isPrivate, budget } = copying;
  if (kind === 'folder') return copyFolder(copying, name, depth);
  const read = kind === 'file' ? await readWithin(from, name, budget) : undefined;
  if (read?.kind !== 'read') return [`${shownName(from, name)} is in the backup only: it is not a plain file`];
  await writeCopy(to, name, read.bytes, isPrivate ? 'private' : read.mode);
  return [];
}

async function copyFolder(copying: Copying, name: string, depth: number): Promise<readonly string[]> {
  const { from, to, isPrivate, budget } = copying;
  if (depth > DEEPEST) throw new Error(`${from.path} is more than 8 folders deep: move some elsewhere`);
  budget.files -= 1;
  if (budget.files < 0) throw new Error(`${from.path} holds more than 2,000 files: move some elsewhere`);
  // Its name is not valid text: it stays in the backup.
  if ((await from.lstat(name)) === undefined)
    return [`${shownName(from, name)} is in the backup only: its name can't be read`];
  return whileHolding(async (hold) => {
    const inner = {
      ...copying,
      from: await hold(from.enter(name)),
      to: await hold(to.makeFolder(name, isPrivate ? 0o700 : undefined)),
    };
    const remarks: string[] = [];
    for (const entry of await listAll(inner.from)) {
      if (!TEMPORARY.test(entry.name)) remarks.push(...(await copyEntry(inner, entry.name, entry.kind, depth + 1)));
    }
    await inner.to.sync();
    return remarks;
  });
}

/** Files under version control get the user's umask and stay executable. */
export async function writeCopy(
  to: HeldFolder,
  name: string,
  bytes: Uint8Array,
  mode: number | 'private',
): Promise<void> {
  const isExecutable = mode !== 'private' && (mode & 0o100) !== 0;
  const options = mode === 'private' ? { mode: 0o600, exact: true } : { mode: isExecutable ? 0o777 : 0o666 };
  await to.replace(name, bytes, { ...options, was: 'nothing' });
}
