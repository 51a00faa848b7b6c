/** The file calls of a machine with something around each: a fault, a delay. Those on open files count too. */

import type { AppendHandle, Files, HeldFolder, ReadHandle } from '../../../src/host/files.js';

/** Makes the call, now, later or never, and gives what it gave. */
export type Around = <R>(call: () => Promise<R>) => Promise<R>;

export function wrapFiles(
  files: Files,
  around: Around,
  append: (handle: AppendHandle) => AppendHandle = (handle) => wrapAppend(handle, around),
): Files {
  const wrap =
    <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
    (...args: A): Promise<R> =>
      around(() => call(...args));
  return {
    stat: wrap(files.stat),
    lstat: wrap(files.lstat),
    realpath: wrap(files.realpath),
    list: wrap(files.list),
    read: wrap(files.read),
    holdFolder: wrap(async (path: string) => wrapHeld(await files.holdFolder(path), around)),
    openRead: wrap(async (path: string) => wrapRead(await files.openRead(path), around)),
    openAppend: wrap(async (path: string) => append(await files.openAppend(path))),
    create: wrap(files.create),
    replace: wrap(files.replace),
    makeFolder: wrap(files.makeFolder),
    syncFolder: wrap(files.syncFolder),
    rename: wrap(files.rename),
    link: wrap(files.link),
    makeLink: wrap(files.makeLink),
    remove: wrap(files.remove),
    removeFolder: wrap(files.removeFolder),
    readLink: wrap(files.readLink),
    touch: wrap(files.touch),
    sync: files.sync,
  };
}

export function wrapAppend(handle: AppendHandle, around: Around): AppendHandle {
  return {
    write: (bytes) => around(() => handle.write(bytes)),
    sync: () => around(() => handle.sync()),
    cut: (length) => around(() => handle.cut(length)),
    size: () => around(() => handle.size()),
    close: () => around(() => handle.close()),
  };
}

function wrapRead(handle: ReadHandle, around: Around): ReadHandle {
  return {
    read: (position, length) => around(() => handle.read(position, length)),
    stat: () => around(() => handle.stat()),
    close: () => around(() => handle.close()),
  };
}

function wrapHeld(folder: HeldFolder, around: Around): HeldFolder {
  const wrap =
    <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
    (...args: A): Promise<R> =>
      around(() => call(...args));
  const wrapped: HeldFolder = {
    path: folder.path,
    processPath: folder.processPath,
    lstat: wrap(folder.lstat),
    openRead: wrap(async (name: string) => {
      const file = await folder.openRead(name);
      return { ...wrapRead(file, around), processPath: file.processPath };
    }),
    replace: wrap(folder.replace),
    remove: wrap(folder.remove),
    enter: wrap(async (name: string) => wrapHeld(await folder.enter(name), around)),
    makeFolder: wrap(async (name: string, mode?: number) => wrapHeld(await folder.makeFolder(name, mode), around)),
    list: wrap(folder.list),
    readLink: wrap(folder.readLink),
    makeLink: wrap(folder.makeLink),
    setMode: wrap(folder.setMode),
    move: wrap((name: string, to: HeldFolder, toName: string) => folder.move(name, unwrapped.get(to) ?? to, toName)),
    removeFolder: wrap(folder.removeFolder),
    sync: wrap(folder.sync),
    close: wrap(folder.close),
  };
  unwrapped.set(wrapped, folder);
  return wrapped;
}

/** The machine moves only between folders that it holds itself. */
const unwrapped = new WeakMap<HeldFolder, HeldFolder>();
