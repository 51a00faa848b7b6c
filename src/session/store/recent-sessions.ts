/**
 * The most recently used sessions of a project, so that the newest is found without inspecting all. A file next to the
 * project's folder, with one line for each session that is opened or closed. Derived, and used only if nothing was created
 * or removed in the folder since its last line; otherwise all sessions are inspected and the file is rewritten.
 *
 * This is sound because a session is written only under its lock, and taking or releasing a lock changes the folder.
 */

import { basename, dirname } from 'node:path';
import { projectFolder, type SessionLayout } from '../../config/paths.js';
import type { Files } from '../../host/files.js';
import type { Host } from '../../host/host.js';

/** The number of sessions that a full scan saves. */
const MOST_KEPT = 50;
/** A longer file is rewritten. */
const MOST_BYTES = 16 * 1024;

export type RecentSessions = {
  /** The newest sessions of the last full scan, newest first. All others were older than the last of these. */
  readonly newest: readonly string[];
  /** True if there were no others. */
  readonly isAll: boolean;
  /** Sessions opened or closed since. */
  readonly since: readonly string[];
};

/** Undefined if it can't be trusted. */
export async function readRecent(
  host: Host,
  home: string,
  project: string,
  folderChanged: number,
): Promise<RecentSessions | undefined> {
  try {
    const path = recentPath(projectFolder(home, project));
    const found = await host.files.stat(path);
    if (found?.kind !== 'file' || found.size > MOST_BYTES) return undefined;
    const [first, ...lines] = readLines(await host.files.read(path));
    if (first?.newest === undefined) return undefined;
    const last = lines.reduce((at, line) => Math.max(at, line.at ?? 0), first.at ?? 0);
    if (folderChanged > last) return undefined;
    return { newest: first.newest, isAll: first.all === true, since: lines.flatMap((line) => line.id ?? []) };
  } catch {
    return undefined;
  }
}

/** Saves a full scan that began at the time `at`, newest first. `inUse`: sessions that may be written now. */
export async function saveRecent(
  { files }: Host,
  home: string,
  project: string,
  { at, newest, inUse }: { readonly at: number; readonly newest: readonly string[]; readonly inUse: readonly string[] },
): Promise<void> {
  const kept = newest.slice(0, MOST_KEPT);
  const lines: RecentLine[] = [
    { at, newest: kept, all: kept.length === newest.length },
    ...inUse.map((id) => ({ id })),
  ];
  const path = recentPath(projectFolder(home, project));
  // A failure loses nothing: the next time, all are scanned again.
  await files.replace(path, lines.map((line) => `${JSON.stringify(line)}\n`).join('')).catch(() => {});
}

/** The session's lock was taken. If the line can't be written, the file is removed, because it is no longer valid. */
export async function noteOpened({ files }: Host, layout: SessionLayout): Promise<void> {
  const path = recentPath(dirname(layout.file));
  const isNoted = await append(files, path, { id: basename(layout.folder) });
  if (!isNoted) await files.remove(path).catch(() => {});
}

/** The lock was released. */
export async function noteClosed({ files, clock }: Host, layout: SessionLayout): Promise<void> {
  await append(files, recentPath(dirname(layout.file)), { id: basename(layout.folder), at: momentOf(clock.now()) });
}

/** The folder's time may be a fraction of a millisecond later than ours. */
export function momentOf(now: number): number {
  return Math.ceil(now) + 1;
}

type RecentLine = {
  readonly newest?: readonly string[];
  readonly all?: boolean;
  readonly id?: string;
  /** Changes of the folder up to this time are covered. */
  readonly at?: number;
};

/** An unreadable line may name any session, so the whole file is invalid then. */
function readLines(bytes: Buffer): RecentLine[] {
  const text = bytes.toString('utf8');
  if (!text.endsWith('\n')) throw new Error('cut off');
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line) as RecentLine);
}

/** A single write, so that lines of several processes don't mix. Never creates the file: only a full scan does that. */
async function append(files: Files, path: string, line: RecentLine): Promise<boolean> {
  try {
    if ((await files.stat(path)) === undefined) return true;
    const handle = await files.openAppend(path);
    try {
      const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
      return (await handle.write(bytes)) === bytes.length;
    } finally {
      await handle.close();
    }
  } catch {
    return false;
  }
}

function recentPath(folder: string): string {
  return `${folder}.recent`;
}
