/**
 * Sessions that are not saved (`persist: false`, CL-2). Each has its own home, laid out like the usual one, so that
 * everything else works unchanged; no list includes it. The home is removed when the session is closed. One left by a
 * killed process is recognised by its lock, which no live process holds.
 */

import { basename, dirname, join } from 'node:path';
import { ephemeralSessions, isFileName } from '../../config/paths.js';
import { type Entry, errorCode, type Files } from '../../host/files.js';
import type { Host } from '../../host/host.js';
import { inspectLock, takeLock } from '../../host/locks/lock.js';
import { markedSession } from '../../host/process-mark.js';
import { removeTree } from '../../host/trees/remove-tree.js';
import { reasonOf } from '../../protocol/reason-of.js';
import type { Result } from '../../protocol/result.js';
import { makeDurableFolder } from '../transcript/durable-folder.js';

export type EphemeralHome = Result<{ readonly home: string; remove(): Promise<void> }>;

/** The lock is created before anything else of the session and removed last: if the removal fails, it stays. */
export async function openEphemeral(host: Host, home: string, id: string): Promise<EphemeralHome> {
  const folder = ephemeralSessions(home);
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
    if (locked.wasDead) await removeLeftovers(host, own);
    if ((await host.files.lstat(own)) === undefined) return { ok: true, home: own, remove };
    // A folder without a lock is not ours.
    await locked.lock.release();
    return refuse(`${own} is there already`);
  } catch (error) {
    return refuse(reasonOf(error));
  }
}

/** Removes sessions that killed processes left, and ends processes that they started. Returns the number of sessions. */
export async function removeLeftEphemeral(host: Host, home: string): Promise<number> {
  const folder = ephemeralSessions(home);
  if (!(await isOwnFolder(host.files, folder))) return 0;
  let removed = 0;
  for (const { name, kind } of await listOrEmpty(host.files, folder)) {
    const id = name.slice(0, -LOCK.length);
    // An entry without a lock is not ours.
    if (kind !== 'file' || !name.endsWith(LOCK) || !isFileName(id)) continue;
    if (await removeLeft(host, join(folder, id)).catch(() => false)) removed += 1;
  }
  return removed;
}

async function removeLeft(host: Host, own: string): Promise<boolean> {
  // In use, or its state is unknown.
  if ((await inspectLock(host, lockOf(own))) !== 'free') return false;
  const locked = await takeLock(host, lockOf(own));
  if (!locked.ok) return false;
  if (!locked.wasDead) {
    // It was closed meanwhile.
    await locked.lock.release();
    return false;
  }
  // If the removal fails, the lock stays and names a process that will be gone.
  await removeLeftovers(host, own);
  await locked.lock.release();
  await removeDrafts(host.files, lockOf(own));
  return true;
}

async function removeLeftovers(host: Host, own: string): Promise<void> {
  for (const file of await transcriptsIn(host.files, own)) {
    await host.processes.endMarked(markedSession(file), 'earlier-process');
  }
  await removeTree(host.files, own);
}

/** A link leads to a foreign folder: nothing is written or removed there. */
async function isOwnFolder(files: Files, folder: string): Promise<boolean> {
  return (await files.lstat(folder))?.kind === 'folder';
}

const LOCK = '.lock';

function lockOf(own: string): string {
  return `${own}${LOCK}`;
}

/** Removes drafts of a lock that a process was about to take. */
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
