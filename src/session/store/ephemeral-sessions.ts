/**
 * Sessions of which nothing is kept (`persist: false`, CL-2). Each has a home of its own, laid out like the usual one, so
 * that all else works as ever; no list looks there. The home goes when the session is closed. One that a killed process
 * left is known by its lock, which nobody alive holds.
 */

import { basename, dirname, join } from 'node:path';
import { isFileName, unkeptSessions } from '../../config/paths.js';
import { type Entry, errorCode, type Files } from '../../host/files.js';
import type { Host } from '../../host/host.js';
import { inspectLock, takeLock } from '../../host/locks/lock.js';
import { markedSession } from '../../host/process-mark.js';
import { reasonOf } from '../../protocol/reason-of.js';
import { makeDurableFolder } from '../transcript/durable-folder.js';
import { removeTree } from './delete-session.js';

export type EphemeralHome =
  | { readonly ok: true; readonly home: string; remove(): Promise<void> }
  | { readonly ok: false; readonly reason: string };

/** The lock is there before anything else of the session, and goes last: what can't be removed now keeps it. */
export async function openEphemeral(host: Host, home: string, id: string): Promise<EphemeralHome> {
  const folder = unkeptSessions(home);
  const own = join(folder, id);
  const refuse = (reason: string) => ({ ok: false as const, reason: `session ${id} can't be opened: ${reason}` });
  try {
    if ((await host.files.lstat(folder)) === undefined) await makeDurableFolder(host.files, folder);
    if (!(await isOwnFolder(host.files, folder))) return refuse(`${folder} is not a folder`);
    const locked = await takeLock(host, lockOf(own));
    if (!locked.ok) return refuse(locked.reason);
    const remove = async () => {
      await removeTree(host.files, own);
      await locked.lock.release();
    };
    if (locked.wasDead) await clearLeft(host, own);
    if ((await host.files.lstat(own)) === undefined) return { ok: true, home: own, remove };
    // Without a lock it is none of ours.
    await locked.lock.release();
    return refuse(`${own} is there already`);
  } catch (error) {
    return refuse(reasonOf(error));
  }
}

/** Removes what killed processes left, and ends what they had started. Returns how many sessions those were. */
export async function removeLeftEphemeral(host: Host, home: string): Promise<number> {
  const folder = unkeptSessions(home);
  if (!(await isOwnFolder(host.files, folder))) return 0;
  let removed = 0;
  for (const { name, kind } of await listOrEmpty(host.files, folder)) {
    const id = name.slice(0, -LOCK.length);
    // What has no lock is none of ours.
    if (kind !== 'file' || !name.endsWith(LOCK) || !isFileName(id)) continue;
    if (await removeLeft(host, join(folder, id)).catch(() => false)) removed += 1;
  }
  return removed;
}

async function removeLeft(host: Host, own: string): Promise<boolean> {
  // It is at work, or nobody can say whether it is.
  if ((await inspectLock(host, lockOf(own))) !== 'free') return false;
  const locked = await takeLock(host, lockOf(own));
  if (!locked.ok) return false;
  if (!locked.wasDead) {
    // It was closed meanwhile.
    await locked.lock.release();
    return false;
  }
  // What can't be removed keeps the lock, which names a process that will be gone.
  await clearLeft(host, own);
  await locked.lock.release();
  await removeDrafts(host.files, lockOf(own));
  return true;
}

async function clearLeft(host: Host, own: string): Promise<void> {
  for (const file of await transcriptsIn(host.files, own)) {
    await host.processes.endMarked(markedSession(file), 'earlier-process');
  }
  await removeTree(host.files, own);
}

/** A link leads to what is somebody else's: nothing is written or removed there. */
async function isOwnFolder(files: Files, folder: string): Promise<boolean> {
  return (await files.lstat(folder))?.kind === 'folder';
}

const LOCK = '.lock';

function lockOf(own: string): string {
  return `${own}${LOCK}`;
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
