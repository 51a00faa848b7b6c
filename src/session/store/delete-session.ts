/** Deletes a session with everything it owns (agents, forks, prefixes, outputs), unless it is in use. */

import { basename, dirname, join } from 'node:path';
import { type SessionLayout, sessionLayout } from '../../config/paths.js';
import type { Files } from '../../host/files.js';
import type { Host } from '../../host/host.js';
import { listOrEmpty, removeTree } from '../../host/trees/remove-tree.js';
import { reasonOf } from '../../protocol/reason-of.js';
import type { Result } from '../../protocol/result.js';
import { listSessions } from './list-sessions.js';
import { lockSession } from './session-lock.js';
import type { SessionSummary } from './summarize-session.js';

export type Deletion = Result;

/** Deletes the transcript last, so that an interrupted deletion can be repeated. */
export async function deleteSession(host: Host, layout: SessionLayout): Promise<Deletion> {
  const attempt = await lockSession(host, layout);
  if (!attempt.ok) return { ok: false, reason: attempt.reason };
  try {
    await removeTree(host.files, layout.folder);
    const folder = dirname(layout.file);
    const id = basename(layout.folder);
    for (const { name, kind } of await listOrEmpty(host.files, folder)) {
      if (kind !== 'folder' && name !== `${id}.jsonl` && belongs(name, id)) await host.files.remove(join(folder, name));
    }
    await host.files.remove(layout.file);
    return { ok: true };
  } catch (error) {
    return { ok: false, reason: `the session could not be deleted completely: ${reasonOf(error)}` };
  } finally {
    await attempt.lock.release();
  }
}

export type CleanUp = {
  readonly deleted: readonly SessionSummary[];
  /** Old enough to delete, but not deleted, with the reason. */
  readonly left: readonly { readonly session: SessionSummary; readonly reason: string }[];
};

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Deletes sessions that were not used for `days`; 0 or less deletes nothing. Unreadable sessions are left for the user.
 * `isOver` is called before each session; once it returns true, the rest is left for another time.
 */
export async function cleanUpSessions(
  host: Host,
  home: string,
  days: number,
  isOver: () => boolean = () => false,
): Promise<CleanUp> {
  const deleted: SessionSummary[] = [];
  const left: { session: SessionSummary; reason: string }[] = [];
  if (!(days > 0)) return { deleted, left };
  const limit = host.clock.now() - days * DAY_MS;
  const { sessions } = await listSessions(host, { home });
  for (const session of sessions) {
    if (isOver()) break;
    if (session.lastActive > limit) continue;
    const doubt = session.damaged ?? (session.lastActive === 0 ? 'its age is unknown' : undefined);
    if (doubt !== undefined) {
      left.push({ session, reason: doubt });
      continue;
    }
    const layout = sessionLayout(home, session.project, session.id);
    // Agents may have continued after the session's own last record.
    const newest = await newestChange(host.files, layout.folder);
    if (newest > limit) continue;
    const deletion = await deleteSession(host, layout);
    if (deletion.ok) deleted.push(session);
    else left.push({ session, reason: deletion.reason });
  }
  return { deleted, left };
}

/** Segments, set-aside tails and leftover lock claims. The lock itself is released by its token. */
function belongs(name: string, id: string): boolean {
  if (!name.startsWith(`${id}.`)) return false;
  return /^(\d+\.jsonl|jsonl\.tail-\d+|\d+\.jsonl\.tail-\d+|lock\..+\.tmp|lock\.next-[\w-]+)$/.test(
    name.slice(id.length + 1),
  );
}

async function newestChange(files: Files, folder: string): Promise<number> {
  let newest = 0;
  for (const { name, kind } of await listOrEmpty(files, folder)) {
    const path = join(folder, name);
    const time = kind === 'folder' ? await newestChange(files, path) : ((await files.lstat(path))?.mtimeMs ?? 0);
    newest = Math.max(newest, time);
  }
  return newest;
}
