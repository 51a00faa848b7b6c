/**
 * Sessions of which nothing is kept (`persist: false`, CL-2). Each has a home of its own, laid out like the usual one, so
 * that all else works as ever; no list looks there. The home goes when the session is closed. One that a killed process
 * left is known by its lock, which nobody alive holds.
 */

import { basename, dirname, join } from 'node:path';
import { isFileName, unkeptSessions } from '../../config/paths.js';
import { type Entry, errorCode, type Files } from '../../host/files.js';
import type { Host } from '../../host/host.js';
import { takeLock } from '../../host/locks/lock.js';
import { markedSession } from '../../host/process-mark.js';
import { makeDurableFolder } from '../transcript/durable-folder.js';
import { removeTree } from './delete-session.js';

export type UnkeptHome =
  | { readonly ok: true; readonly home: string; remove(): Promise<void> }
  | { readonly ok: false; readonly reason: string };

/** The lock is there before anything else of the session, and goes last. */
export async function openUnkept(host: Host, home: string, id: string): Promise<UnkeptHome> {
  const own = join(unkeptSessions(home), id);
  await makeDurableFolder(host.files, dirname(own));
  const locked = await takeLock(host, lockOf(own));
  if (!locked.ok) return { ok: false, reason: `session ${id} can't be opened: ${locked.reason}` };
  const remove = async () => {
    try {
      await removeTree(host.files, own);
    } finally {
      await locked.lock.release();
    }
  };
  return { ok: true, home: own, remove };
}

/** Removes what killed processes left, and ends what they had started. Returns how many sessions those were. */
export async function removeLeftUnkept(host: Host, home: string): Promise<number> {
  const folder = unkeptSessions(home);
  const names = (await listOrEmpty(host.files, folder)).map(({ name }) => name.replace(/\.lock(\..*)?$/, ''));
  let removed = 0;
  for (const id of new Set(names.filter(isFileName))) {
    const own = join(folder, id);
    const locked = await takeLock(host, lockOf(own));
    // It is at work, or nobody can say whether it is.
    if (!locked.ok) continue;
    try {
      for (const file of await transcriptsIn(host.files, own)) {
        await host.processes.endMarked(markedSession(file), 'earlier-process');
      }
      await removeTree(host.files, own);
      removed += 1;
    } finally {
      await locked.lock.release();
    }
    await removeDrafts(host.files, lockOf(own));
  }
  return removed;
}

function lockOf(own: string): string {
  return `${own}.lock`;
}

/** Of a lock that a process was about to take. */
async function removeDrafts(files: Files, lock: string): Promise<void> {
  for (const { name } of await listOrEmpty(files, dirname(lock))) {
    if (name.startsWith(`${basename(lock)}.`)) await files.remove(join(dirname(lock), name));
  }
}

async function transcriptsIn(files: Files, own: string): Promise<readonly string[]> {
  const projects = join(own, 'projects');
  const keys = (await listOrEmpty(files, projects)).filter(({ kind }) => kind === 'folder');
  return keys.map(({ name }) => join(projects, name, `${basename(own)}.jsonl`));
}

async function listOrEmpty(files: Files, folder: string): Promise<readonly Entry[]> {
  try {
    return await files.list(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}
