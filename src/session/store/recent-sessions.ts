/**
 * Which sessions of a project were used last, so that the newest is found without looking at all of them. A file beside
 * the project's folder, one line for each session that is opened or closed. Derived, and relied on only if nothing was
 * made or removed in the folder since its last line; otherwise all sessions are looked at, and it begins anew.
 *
 * It is sound because a session is written to only under its lock: to take or to give back a lock changes the folder.
 */

import { basename, dirname } from 'node:path';
import { projectFolder, type SessionLayout } from '../../config/paths.js';
import type { Files } from '../../host/files.js';
import type { Host } from '../../host/host.js';

/** How many sessions a full look leaves in it. */
const MOST_KEPT = 50;
/** It begins anew when it is longer. */
const MOST_BYTES = 16 * 1024;

export type RecentSessions = {
  /** The newest sessions when all were looked at, newest first. Each of the others was older than the last of these. */
  readonly newest: readonly string[];
  /** There were no others. */
  readonly isAll: boolean;
  /** Opened or closed since. */
  readonly since: readonly string[];
};

/** Undefined if it can't be relied on. */
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

/** All sessions were looked at, newest first, beginning at the time `at`. `inUse`: those that may be written to now. */
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
  // Not to be kept is no loss: the next time all are looked at again.
  await files.replace(path, lines.map((line) => `${JSON.stringify(line)}\n`).join('')).catch(() => {});
}

/** The session's lock was taken. Without this line, its file must not be relied on any more. */
export async function noteOpened({ files }: Host, layout: SessionLayout): Promise<void> {
  const path = recentPath(dirname(layout.file));
  const isNoted = await append(files, path, { id: basename(layout.folder) });
  if (!isNoted) await files.remove(path).catch(() => {});
}

/** The lock was given back. */
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
  /** What happened in the folder up to this time is known. */
  readonly at?: number;
};

/** A line that can't be read may have named any session: then nothing counts. */
function readLines(bytes: Buffer): RecentLine[] {
  const text = bytes.toString('utf8');
  if (!text.endsWith('\n')) throw new Error('cut off');
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line) as RecentLine);
}

/** One write: lines of several processes don't mix. Nothing is begun here: only a full look does that. */
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
