/** Deletes a session with all it has: its agents, forks among them, prefixes and outputs. Never one that is in use. */

import { basename, dirname, join } from 'node:path';
import { type SessionPlaces, sessionPlaces } from '../../config/paths.js';
import { type Entry, errorCode, type Files } from '../../host/files.js';
import type { Host } from '../../host/host.js';
import { listSessions, type SessionSummary } from './list-sessions.js';
import { lockSession } from './session-lock.js';

export type Deletion = { readonly ok: true } | { readonly ok: false; readonly line: string };

/** The transcript goes last: a deletion that is cut off leaves a session that can be deleted again. */
export async function deleteSession(host: Host, places: SessionPlaces): Promise<Deletion> {
  const attempt = await lockSession(host, places);
  if (!attempt.ok) return { ok: false, line: attempt.line };
  try {
    await removeTree(host.files, places.folder);
    const folder = dirname(places.file);
    const id = basename(places.folder);
    for (const { name, kind } of await listOrNothing(host.files, folder)) {
      if (kind !== 'folder' && name !== `${id}.jsonl` && belongs(name, id)) await host.files.remove(join(folder, name));
    }
    await host.files.remove(places.file);
    return { ok: true };
  } catch (error) {
    return { ok: false, line: `the session could not be deleted in full: ${messageOf(error)}` };
  } finally {
    await attempt.lock.release();
  }
}

export type CleanUp = {
  readonly deleted: readonly SessionSummary[];
  /** Old enough, but left, and why. */
  readonly left: readonly { readonly session: SessionSummary; readonly why: string }[];
};

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Deletes what nobody has touched for `days`; 0 or less: nothing. What can't be read is left for the person to judge.
 * `isOver`: asked before each session; the rest is left for another time.
 */
export async function cleanUpSessions(
  host: Host,
  home: string,
  days: number,
  isOver: () => boolean = () => false,
): Promise<CleanUp> {
  const deleted: SessionSummary[] = [];
  const left: { session: SessionSummary; why: string }[] = [];
  if (!(days > 0)) return { deleted, left };
  const limit = host.clock.now() - days * DAY_MS;
  const { sessions } = await listSessions(host, { home });
  for (const session of sessions) {
    if (isOver()) break;
    if (session.lastActive > limit) continue;
    const doubt = session.damaged ?? (session.lastActive === 0 ? 'its age is not known' : undefined);
    if (doubt !== undefined) {
      left.push({ session, why: doubt });
      continue;
    }
    const places = sessionPlaces(home, session.project, session.id);
    // Agents may have worked on after their session last wrote.
    const newest = await newestChange(host.files, places.folder);
    if (newest > limit) continue;
    const deletion = await deleteSession(host, places);
    if (deletion.ok) deleted.push(session);
    else left.push({ session, why: deletion.line });
  }
  return { deleted, left };
}

/** Segments, set-aside tails and leftover claims of the lock; the lock itself is released by its token. */
function belongs(name: string, id: string): boolean {
  if (!name.startsWith(`${id}.`)) return false;
  return /^(\d+\.jsonl|jsonl\.tail-\d+|\d+\.jsonl\.tail-\d+|lock\..+\.tmp|lock\.next-[\w-]+)$/.test(
    name.slice(id.length + 1),
  );
}

/** Follows no links. */
async function removeTree(files: Files, folder: string): Promise<void> {
  const entries = await listOrNothing(files, folder);
  for (const { name, kind } of entries) {
    const path = join(folder, name);
    if (kind === 'folder') await removeTree(files, path);
    else await files.remove(path);
  }
  try {
    await files.removeFolder(folder);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}

async function newestChange(files: Files, folder: string): Promise<number> {
  let newest = 0;
  for (const { name, kind } of await listOrNothing(files, folder)) {
    const path = join(folder, name);
    const time = kind === 'folder' ? await newestChange(files, path) : ((await files.lstat(path))?.mtimeMs ?? 0);
    newest = Math.max(newest, time);
  }
  return newest;
}

async function listOrNothing(files: Files, folder: string): Promise<readonly Entry[]> {
  try {
    const found = await files.lstat(folder);
    return found?.kind === 'folder' ? await files.list(folder) : [];
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
