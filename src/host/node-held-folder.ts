/** Implements `HeldFolder` on the real file system. */

import { randomUUID } from 'node:crypto';
import { constants, promises as fs } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, type HeldFolder, type ReplaceOptions } from './files.js';
import { ignoreMissing, isSameFile, listPath, readHandle, staleError, syncPath, toStat } from './node-file-facts.js';
import type { Hold } from './node-hold.js';

const TEMPORARY = /^\..{1,60}\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.coppice-tmp$/s;
/** A write takes milliseconds: an older temporary file belongs to a dead process. */
const LEFTOVER_MS = 60_000;
const MOST_SCANNED = 1_000;

/** The hold of each folder: a move needs both. */
const holds = new WeakMap<HeldFolder, Hold>();

export function heldFolder(hold: Hold): HeldFolder {
  const at = (name: string) => hold.at(oneName(name));
  const lstat = (name: string) => ignoreMissing(fs.lstat(at(name)).then(toStat));
  const folder: HeldFolder = {
    path: hold.path,
    processPath: hold.processPath,
    lstat,
    openRead: async (name) => {
      const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
      const opened = await confirmed(hold, name, await fs.open(at(name), flags));
      return { ...readHandle(opened), processPath: hold.processPathOf(opened, name) };
    },
    replace: (name, content, options = {}) => replace(hold, oneName(name), content, options),
    remove: async (name) => {
      await ignoreMissing(fs.unlink(at(name)));
    },
    enter: async (name) => heldFolder(await hold.enter(oneName(name))),
    makeFolder: async (name, mode) => heldFolder(await makeFolder(hold, oneName(name), mode)),
    list: (most) => listPath(hold.at('.'), most),
    readLink: (name) => fs.readlink(at(name), { encoding: 'buffer' }),
    makeLink: (target, name) => fs.symlink(target, at(name)),
    setMode: (mode) => fs.chmod(hold.at('.'), mode),
    move: async (name, to, toName) => {
      const other = holds.get(to);
      if (other === undefined) throw new TypeError('a folder that this machine does not hold');
      await fs.rename(at(name), other.at(oneName(toName)));
    },
    removeFolder: (name) => fs.rmdir(at(name)),
    sync: () => syncPath(hold.at('.')),
    close: () => hold.close(),
  };
  holds.set(folder, hold);
  return folder;
}

async function makeFolder(hold: Hold, name: string, mode: number | undefined): Promise<Hold> {
  const isNew = await fs.mkdir(hold.at(name), mode === undefined ? {} : { mode }).then(
    () => true,
    (error: unknown) => {
      if (errorCode(error) === 'EEXIST') return false;
      throw error;
    },
  );
  const made = await hold.enter(name);
  // The umask may have reduced the mode.
  if (isNew && mode !== undefined) await fs.chmod(made.at('.'), mode);
  return made;
}

async function replace(hold: Hold, name: string, content: string | Uint8Array, options: ReplaceOptions) {
  const { mode = 0o600, exact = false, was } = options;
  await clearLeftovers(hold);
  const existing = await ignoreMissing(fs.lstat(hold.at(name)).then(toStat));
  const keeps = !exact && existing?.kind === 'file';
  const kept = keeps ? existing.mode & 0o7777 : mode;
  // The limit of a name is in bytes, and a character may take four.
  const temporary = `.${name.slice(0, 30)}.${randomUUID()}.coppice-tmp`;
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const opened = await fs.open(hold.at(temporary), flags, kept);
  try {
    // Before the content is written: a file that lands in the wrong folder must be empty.
    await hold.confirm(temporary, opened);
    await opened.writeFile(content);
    // The umask may have reduced the requested mode.
    if (keeps || exact) await opened.chmod(kept);
    await opened.sync();
    if (was !== undefined) await checkUnchanged(hold, name, was);
    await fs.rename(hold.at(temporary), hold.at(name));
    await hold.confirm(name, opened);
    return toStat(await opened.stat());
  } catch (error) {
    await ignoreMissing(fs.unlink(hold.at(temporary)));
    throw error;
  } finally {
    await opened.close();
  }
}

async function checkUnchanged(hold: Hold, name: string, was: NonNullable<ReplaceOptions['was']>): Promise<void> {
  const now = await ignoreMissing(fs.lstat(hold.at(name)).then(toStat));
  if (!isSameFile(was === 'nothing' ? undefined : was, now)) throw staleError(join(hold.path, name));
}

/** Best effort: a folder that can't be listed can still be written to. */
async function clearLeftovers(hold: Hold): Promise<void> {
  try {
    let scanned = 0;
    for await (const { name } of await fs.opendir(hold.at('.'), { bufferSize: 256 })) {
      scanned += 1;
      if (scanned > MOST_SCANNED) return;
      if (!TEMPORARY.test(name)) continue;
      const stats = await fs.lstat(hold.at(name));
      if (stats.isFile() && Date.now() - stats.mtimeMs > LEFTOVER_MS) await fs.unlink(hold.at(name));
    }
  } catch {
    // The next write tries again.
  }
}

async function confirmed(hold: Hold, name: string, opened: FileHandle): Promise<FileHandle> {
  try {
    await hold.confirm(name, opened);
    return opened;
  } catch (error) {
    await opened.close();
    throw error;
  }
}

function oneName(name: string): string {
  if (name === '' || name === '.' || name === '..' || name.includes('/') || name.includes('\0'))
    throw new RangeError(`not a single name: ${JSON.stringify(name.slice(0, 80))}`);
  return name;
}
