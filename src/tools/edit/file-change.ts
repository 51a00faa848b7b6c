/**
 * Changes a file atomically. The file must be a regular file that was read before and has not changed since. Its folder
 * is held open from the check to the write, so that nothing lands anywhere else (GT-28).
 */

import { createHash } from 'node:crypto';
import { basename, dirname, join, relative } from 'node:path';
import { errorCode, type FileStat, type HeldFolder } from '../../host/files.js';
import { serialQueue } from '../../host/locks/serial-queue.js';
import { failed, succeeded, type ToolOutcome } from '../../protocol/outcome.js';
import { explainFileError, interrupted } from '../failures.js';
import type { FileVersion } from '../files-read.js';
import { isInside } from '../path-context.js';
import { type RealPath, resolveRealPath } from '../real-path.js';
import type { OwnMemory, ToolContext } from '../tool.js';
import type { ChangedFile } from './change-response.js';

/** Two changes of one file in this process never interleave. */
const inOrder = serialQueue();

const MAX_BYTES = 64 * 1024 * 1024;

/** The current file, after the checks; `undefined` if it does not exist yet. */
export type FileNow = { readonly bytes: Buffer; readonly stat: FileStat };

export type Change =
  | {
      readonly kind: 'write';
      readonly content: Buffer;
      readonly say: (path: string) => string;
      /** For hooks. */
      readonly respond: (changed: ChangedFile) => unknown;
    }
  | { readonly kind: 'refuse'; readonly reason: string };

/**
 * Runs `plan` on the current content and writes what it returns. `path` is the declared path.
 * Changes of one file run one after another, so that a second change starts from the result of the first.
 */
export async function changeFile(
  context: ToolContext,
  path: string,
  plan: (now: FileNow | undefined) => Change,
): Promise<ToolOutcome> {
  const { memory } = context;
  try {
    if (memory !== undefined && isInside(memory.folder, path)) await memory.prepared();
    const target = await resolveRealPath(context, path);
    if (target.found === 'refused') return failed(target.reason);
    const change = () => inOrder(() => changeAlone(context, path, target, plan), target.path);
    if (memory === undefined || !isInside(memory.folder, target.path)) return await change();
    const done = await memory.inTurn(change);
    return done.ok ? done.value : failed(`${path} was not changed: ${done.reason}. Try again.`);
  } catch (error) {
    if (errorCode(error) === 'ESTALE') return failed(changedMeanwhile(path));
    return failed(explainFileError(error, path));
  }
}

async function changeAlone(
  context: ToolContext,
  path: string,
  target: Exclude<RealPath, { found: 'refused' }>,
  plan: (now: FileNow | undefined) => Change,
): Promise<ToolOutcome> {
  const { host, files, signal, memory } = context;
  const isPrivate = memory?.isPrivate === true && isInside(memory.folder, target.path);
  const requested = dirname(target.path);
  const folder = await host.files.holdFolder(target.found === 'nothing' ? target.folder : requested);
  try {
    const name = basename(target.path);
    const now = folder.path === requested ? await readNow(folder, name, path) : undefined;
    if (typeof now === 'string') return failed(now);
    const stale = now === undefined ? undefined : staleness(path, now, files.get(target.path));
    if (stale !== undefined) return failed(stale);

    const change = plan(now);
    if (change.kind === 'refuse') return failed(change.reason);
    if (signal.aborted) return interrupted('Nothing was written.');

    // New files get mode 0666 less the umask, as in any editor.
    const mode = isPrivate ? { mode: 0o600, exact: true } : { mode: 0o666 };
    const options = { ...mode, was: now?.stat ?? ('nothing' as const) };
    const below = relative(folder.path, requested);
    const modeOf = (path: string) => (isPrivate && !isSharedBy(memory, path) ? 0o700 : undefined);
    const written = await inFolder(folder, below, modeOf, (at) => at.replace(name, change.content, options));
    files.set(target.path, markOf(change.content, written));
    const changed = { path, before: now?.bytes, after: change.content };
    return { ...succeeded(change.say(path)), response: () => change.respond(changed) };
  } finally {
    await folder.close();
  }
}

/** The current content: undefined if there is no file, a reason if it can't be edited. */
async function readNow(folder: HeldFolder, name: string, path: string): Promise<FileNow | undefined | string> {
  const found = await folder.lstat(name);
  if (found === undefined) return undefined;
  const problem = notPlain(path, found);
  if (problem !== undefined) return problem;
  const file = await folder.openRead(name);
  try {
    const stat = await file.stat();
    const bytes = await file.read(0, Math.min(stat.size, MAX_BYTES) + 1);
    return notPlain(path, { ...stat, size: Math.max(stat.size, bytes.length) }) ?? { bytes, stat };
  } finally {
    await file.close();
  }
}

/** Creates the missing folders one by one, each within the previous one. */
async function inFolder<T>(
  folder: HeldFolder,
  below: string,
  modeOf: (path: string) => number | undefined,
  work: (folder: HeldFolder) => Promise<T>,
): Promise<T> {
  const [first, ...rest] = below.split('/').filter((name) => name !== '');
  if (first === undefined) return work(folder);
  const next = await folder.makeFolder(first, modeOf(join(folder.path, first)));
  try {
    return await inFolder(next, rest.join('/'), modeOf, work);
  } finally {
    await next.close();
  }
}

/** The path to private notes may pass through a folder under version control. */
function isSharedBy(memory: OwnMemory | undefined, path: string): boolean {
  return memory?.shared !== undefined && isInside(path, memory.shared);
}

function changedMeanwhile(path: string): string {
  return `${path}, or a folder on the way to it, changed while it was being edited. Nothing was written. Read it again first.`;
}

export function markOf(content: Buffer, { mtimeMs, size }: FileStat): FileVersion {
  return { mtimeMs, size, sha256: createHash('sha256').update(content).digest('hex') };
}

function notPlain(path: string, stat: FileStat): string | undefined {
  if (stat.kind === 'folder') return `${path} is a folder, not a file.`;
  if (stat.kind === 'link') return changedMeanwhile(path);
  if (stat.kind !== 'file') return `${path} is a device, pipe or socket and can't be edited.`;
  if (stat.links > 1) {
    return `${path} has ${stat.links} hard links, and one may be outside this project, so it is not written. To edit it anyway, replace it with a copy first, using Bash.`;
  }
  if (stat.size > MAX_BYTES) return `${path} is ${stat.size} bytes, too large to edit here. Use Bash (sed, a script).`;
  return undefined;
}

/** The hash decides: a new timestamp with the same content is no conflict; a change within the same clock tick is one. */
function staleness(path: string, now: FileNow, mark: FileVersion | undefined): string | undefined {
  if (mark === undefined) return `${path} exists and has not been read in this conversation. Read it first, then edit.`;
  const same =
    mark.sha256 === undefined
      ? mark.size === now.stat.size && mark.mtimeMs === now.stat.mtimeMs
      : mark.sha256 === markOf(now.bytes, now.stat).sha256;
  if (same) return undefined;
  return `${path} has changed since it was read (by the person, a program or another agent). Read it again before editing.`;
}
