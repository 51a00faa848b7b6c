/**
 * Files as the editor has them: if it offers that, text files of the project are read with unsaved changes, and written
 * through it. Everything else happens on disk.
 *
 * This applies only to held folders, through which tools read and change files and a rewind stores their content: all
 * three see the same text. Files that the program itself obeys (instructions, settings, servers) are always those on disk.
 */

import { isUtf8 } from 'node:buffer';
import { isAbsolute, join, relative } from 'node:path';
import type { Clock } from '../../host/clock.js';
import type { FileStat, Files, HeldFile, HeldFolder } from '../../host/files.js';
import type { Host } from '../../host/host.js';
import { isSameFile, staleError } from '../../host/node-file-facts.js';

export type EditorFiles = {
  /** Undefined if the editor doesn't offer it. Rejects on failure. */
  readonly read: ((path: string) => Promise<string>) | undefined;
  readonly write: ((path: string, text: string) => Promise<void>) | undefined;
  /** Real paths of the editor's folders. */
  readonly roots: readonly string[];
};

/** Larger files are read from disk: no editor shows them. */
const MOST_BYTES = 4 * 1024 * 1024;
/** How long to wait for the editor. */
const READ_MS = 5_000;
const WRITE_MS = 30_000;

/** Folders of programs, and files that the program obeys. */
const NOT_OURS = /(?:^|\/)\.(?:git|coppice|claude)(?:\/|$)|(?:^|\/)(?:CLAUDE(?:\.local)?\.md|AGENTS\.md|\.mcp\.json)$/i;

/** `editor` is undefined until the session is open. */
export function withEditorFiles(host: Host, editor: () => EditorFiles | undefined): Host {
  const files: Files = {
    ...host.files,
    holdFolder: async (path) => wrap(await host.files.holdFolder(path), editor, host.clock),
  };
  return { ...host, files, at: (folder) => withEditorFiles(host.at(folder), editor) };
}

/** The wrapped folders: a move needs both originals. */
const inner = new WeakMap<HeldFolder, HeldFolder>();
/** The content on disk of files whose unsaved text was returned. */
const onDisk = new WeakMap<FileStat, FileStat>();

function wrap(held: HeldFolder, editor: () => EditorFiles | undefined, clock: Clock): HeldFolder {
  const again = async (folder: Promise<HeldFolder>) => wrap(await folder, editor, clock);
  const folder: HeldFolder = {
    ...held,
    openRead: async (name) => {
      const file = await held.openRead(name);
      const read = editorOf(editor(), join(held.path, name))?.read;
      return read === undefined ? file : openShown(file, join(held.path, name), read, clock);
    },
    replace: async (name, content, options = {}) => {
      const { was } = options;
      const real = { ...options, ...(typeof was === 'object' ? { was: onDisk.get(was) ?? was } : {}) };
      const write = options.exact ? undefined : editorOf(editor(), join(held.path, name))?.write;
      const text = write && textOf(content);
      if (write === undefined || text === undefined) return held.replace(name, content, real);
      const before = await held.lstat(name);
      // The editor writes by name, so a link, or a file with other hard links, is not written through it.
      if (before !== undefined && (before.kind !== 'file' || before.links > 1))
        return held.replace(name, content, real);
      if (real.was !== undefined && !isSameFile(real.was === 'nothing' ? undefined : real.was, before))
        throw staleError(join(held.path, name));
      const written = await inTime(clock, WRITE_MS, () => write(join(held.path, name), text));
      if (written === 'late') throw new Error('the editor did not answer; look at the file before you try again');
      const now = await held.lstat(name);
      // It failed, or the change is only in a window: commands would not see it.
      return now === undefined || isSameFile(before, now) ? held.replace(name, content, real) : now;
    },
    enter: (name) => again(held.enter(name)),
    makeFolder: (name, mode) => again(held.makeFolder(name, mode)),
    move: (name, to, toName) => held.move(name, inner.get(to) ?? to, toName),
  };
  inner.set(folder, held);
  return folder;
}

/** Undefined for a path outside the editor's folders. */
function editorOf(editor: EditorFiles | undefined, path: string): EditorFiles | undefined {
  const isIts = editor?.roots.some((root) => {
    const below = relative(root, path);
    return below !== '' && !below.startsWith('..') && !isAbsolute(below) && !NOT_OURS.test(below);
  });
  return isIts ? editor : undefined;
}

/** The file as the editor shows it, if that differs from the disk. */
async function openShown(
  file: HeldFile,
  path: string,
  read: (path: string) => Promise<string>,
  clock: Clock,
): Promise<HeldFile> {
  const stat = await file.stat();
  if (stat.kind !== 'file' || stat.size > MOST_BYTES) return file;
  const disk = await file.read(0, stat.size + 1);
  const text = textOf(disk);
  if (text === undefined) return file;
  const answer = await inTime(clock, READ_MS, () => read(path));
  if (answer === 'late' || answer === 'failed' || typeof answer.value !== 'string') return file;
  const shown = asOnDisk(answer.value, text);
  if (shown === undefined) return file;
  const bytes = Buffer.from(shown, 'utf8');
  const shownStat = { ...stat, size: bytes.length };
  onDisk.set(shownStat, stat);
  return {
    ...file,
    read: async (position, length) => bytes.subarray(position, position + length),
    stat: async () => shownStat,
  };
}

/** Editors store line endings separately: undefined if only those differ. */
function asOnDisk(shown: string, disk: string): string | undefined {
  const plain = (text: string) => text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  // Some omit the last line ending; that is not a change.
  const [now, before] = [plain(shown), plain(disk)];
  if (now === before || `${now}\n` === before) return undefined;
  const whole = before.endsWith('\n') && !now.endsWith('\n') ? `${now}\n` : now;
  const mark = disk.startsWith('\uFEFF') ? '\uFEFF' : '';
  const isCrlf = disk.includes('\r\n') && !/[^\r]\n/.test(disk);
  return mark + (isCrlf ? whole.replaceAll('\n', '\r\n') : whole);
}

/** Undefined if it is not UTF-8 text: an editor would change its bytes. */
function textOf(content: string | Uint8Array): string | undefined {
  if (typeof content === 'string') return content;
  return isUtf8(content) && !content.includes(0) ? Buffer.from(content).toString('utf8') : undefined;
}

type InTime<T> = { readonly value: T } | 'late' | 'failed';

async function inTime<T>(clock: Clock, ms: number, work: () => Promise<T>): Promise<InTime<T>> {
  return new Promise((resolve) => {
    const cancel = clock.after(ms, () => resolve('late'));
    const settle = (answer: InTime<T>) => {
      cancel();
      resolve(answer);
    };
    work().then(
      (value) => settle({ value }),
      () => settle('failed'),
    );
  });
}
