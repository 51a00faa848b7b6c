/** One change of a memory at a time, after an interrupted update is finished. */

import { join } from 'node:path';
import { memoryLock } from '../../../config/memory-paths.js';
import { errorCode } from '../../../host/files.js';
import type { Host } from '../../../host/host.js';
import { type Locked, withLock } from '../../../host/locks/with-lock.js';
import type { Failure, Result } from '../../../protocol/result.js';
import type { MemoryFolder } from '../find-memory.js';
import { recoverSide, type Side } from './finish-update.js';
import { enterIfThere, holdIfThere, plainReason, whileHolding } from './held-folders.js';
import { readUpdatedAt } from './read-stamp.js';

export type MemoryDone = Result<{
  /** The .md files that changed. */
  readonly files: readonly string[];
  /** The backup of what was there: `rollBackMemory` takes its name. */
  readonly backup?: string;
  /** Messages for the user. */
  readonly notes: readonly string[];
}>;

/** The two folders of a local memory. */
export type MemorySides = { readonly local: Side; readonly team: Side };

/** Never rejects. */
export async function changeMemory<T>(
  host: Host,
  place: MemoryFolder,
  work: (sides: MemorySides) => Promise<T>,
): Promise<T | Failure> {
  const sides = sidesOf(place);
  if (sides === undefined) {
    return {
      ok: false,
      reason: `the memory of ${place.type} is of scope ${place.scope}: only local memory has a snapshot`,
    };
  }
  try {
    const turn = await withMemoryLock(host, place, () => work(sides));
    return turn.ok ? turn.value : { ok: false, reason: `the memory in ${place.folder} is in use: ${turn.reason}` };
  } catch (error) {
    return { ok: false, reason: explain(error, place) };
  }
}

/**
 * Runs all writes into a memory folder of any scope, one at a time and with the folder whole. Errors of the work are
 * thrown.
 */
export function withMemoryLock<T>(host: Host, place: MemoryFolder, work: () => Promise<T>): Promise<Locked<T>> {
  const sides = sidesOf(place);
  return withLock(host, memoryLock(host.env, place.folder), async () => {
    if (sides !== undefined) await recover(host, sides);
    return work();
  });
}

/** Several local memories may share the snapshot, so it has a lock of its own. */
export async function withTeamLock<T>(host: Host, team: Side, work: () => Promise<T>): Promise<T> {
  const turn = await withLock(host, memoryLock(host.env, join(team.parent, team.name)), async () => {
    await recoverSide(host, team, async () => false);
    return work();
  });
  if (!turn.ok) throw new Error(`the snapshot is in use: ${turn.reason}`);
  return turn.value;
}

/**
 * Finishes an update that a crash interrupted. One lookup if there is none. Never rejects: what can't be finished stays, and
 * every action reports why. Called before every read or write of the folder: between two steps the folder is missing.
 */
export async function recoverMemory(host: Host, place: MemoryFolder): Promise<void> {
  if (place.snapshot === undefined) return;
  const next = join(place.parent, '.coppice', place.name, 'next');
  const isLeft = await host.files.lstat(next).catch(() => undefined);
  if (isLeft !== undefined) await changeMemory(host, place, async () => {});
}

async function recover(host: Host, { local, team }: MemorySides): Promise<void> {
  const next = join(team.parent, '.coppice', team.name, 'next');
  const isLeft = await host.files.lstat(next).catch(() => undefined);
  // Publishing reports problems there; nothing else needs it.
  if (isLeft !== undefined) await withTeamLock(host, team, async () => {}).catch(() => {});
  await recoverSide(host, local, (updatedAt) => isPublished(host, team, updatedAt));
}

/** Finishes the local half of what was published. Returns a note if that must wait. */
export async function recoverLocal(host: Host, { local, team }: MemorySides): Promise<readonly string[]> {
  try {
    await recoverSide(host, local, (updatedAt) => isPublished(host, team, updatedAt));
    return [];
  } catch (error) {
    return [`it is published; the rest follows at the next use: ${plainReason(error)}`];
  }
}

function isPublished(host: Host, team: Side, updatedAt: string): Promise<boolean> {
  return whileHolding(async (hold) => {
    const parentFolder = await holdIfThere(hold, host, team.parent);
    const stamp = await readUpdatedAt(parentFolder && (await enterIfThere(hold, parentFolder, team.name)));
    return stamp.kind === 'time' && stamp.text === updatedAt;
  });
}

function sidesOf({ parent, name, snapshot }: MemoryFolder): MemorySides | undefined {
  if (snapshot === undefined) return undefined;
  return { local: { parent, name, isPrivate: true }, team: { parent: snapshot.parent, name, isPrivate: false } };
}

function explain(error: unknown, { folder }: MemoryFolder): string {
  const code = errorCode(error);
  const words = code === undefined ? undefined : WORDS[code];
  const said = plainReason(error);
  return `${folder}: ${words === undefined ? said : `${words} (${said})`}`;
}

const WORDS: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full; free some space and try again',
  EDQUOT: 'the disk quota is used up; free some space and try again',
  ENOTDIR: 'a link or a file is where a folder must be; remove it and try again',
  ELOOP: 'a link is where a file must be; remove it and try again',
  ESTALE: 'a folder on the way was replaced meanwhile; try again',
  EACCES: 'permission denied; check the owner and mode',
  EROFS: 'the file system is read-only',
};
