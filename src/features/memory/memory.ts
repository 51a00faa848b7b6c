/**
 * What people do with the memory of agents: list it, look into it, compare it with the team's snapshot, take, merge,
 * publish or decline that, and go back (ME-5). The command line, sessions and the library use this one object.
 */

import type { MemoryFolder } from '../../context/memory/find-memory.js';
import { keepMemoryOut } from '../../context/memory/keep-memory-out.js';
import { type MemoryDifference, memoryDifference } from '../../context/memory/snapshots/memory-difference.js';
import { type MemoryDone, recoverMemory } from '../../context/memory/snapshots/memory-lock.js';
import { mergeMemory } from '../../context/memory/snapshots/merge-memory.js';
import { publishMemory } from '../../context/memory/snapshots/publish-memory.js';
import { listBackups, type MemoryBackup, rollBackMemory } from '../../context/memory/snapshots/roll-back-memory.js';
import { declineMemory, takeMemory } from '../../context/memory/snapshots/take-memory.js';
import type { Host } from '../../host/host.js';
import type { MemoryScope } from '../../protocol/agent-spawned.js';
import { reasonOf } from '../../protocol/reason-of.js';
import { listMemory, type MemoryList } from './list-memory.js';
import type { MemoryLocation } from './memory-location.js';
import { resolveMemory } from './resolve-memory.js';
import { type ShownMemory, showMemory } from './show-memory.js';

/** `scope`: which one, where several folders have the name. Omitted: the one that the agent uses. */
export type MemoryChoice = { readonly scope?: MemoryScope | undefined };

/** `name`: the memory that was meant. Absent where none is known by the name that was given. */
export type OfMemory<T> = (T | { readonly ok: false; readonly reason: string }) & { readonly name?: string };

export type MemoryBackups =
  | { readonly ok: true; readonly backups: readonly MemoryBackup[] }
  | { readonly ok: false; readonly reason: string };

/** Names are those of agents, however they are written, or of folders. Nothing rejects: what went wrong is in the result. */
export interface Memory {
  /** The main checkout, whose memory it is. */
  readonly root: string;
  /** Without trust, only `user` memory can be used. */
  readonly trusted: boolean;
  /** What is wrong with agent files, a line each. */
  readonly warnings: readonly string[];
  /** Every agent with memory, and folders that no agent here has. */
  list(): Promise<MemoryList>;
  /** The Markdown files with their texts: all, or one. */
  show(name: string, options?: MemoryChoice & { readonly file?: string | undefined }): Promise<OfMemory<ShownMemory>>;
  /** How mine and the team's snapshot differ, as a unified diff from mine to the snapshot. */
  diff(name: string, options?: MemoryChoice): Promise<OfMemory<MemoryDifference>>;
  /** Mine becomes the snapshot. What was mine is kept as a backup. */
  take(name: string, options?: MemoryChoice): Promise<OfMemory<MemoryDone>>;
  /** Brings what is new in the snapshot into mine. */
  merge(name: string, options?: MemoryChoice): Promise<OfMemory<MemoryDone>>;
  /** The snapshot becomes mine, for the team to commit. `force`: also over one that I have neither taken nor declined. */
  publish(
    name: string,
    options?: MemoryChoice & { readonly force?: boolean | undefined },
  ): Promise<OfMemory<MemoryDone>>;
  /** Keeps mine; this snapshot is not offered again. */
  decline(name: string, options?: MemoryChoice): Promise<OfMemory<MemoryDone>>;
  /** Goes back to a backup: the newest, or the one of this name. */
  rollBack(name: string, options?: MemoryChoice & { readonly to?: string | undefined }): Promise<OfMemory<MemoryDone>>;
  /** Newest first. */
  backups(name: string, options?: MemoryChoice): Promise<OfMemory<MemoryBackups>>;
}

export function createMemory(ground: MemoryLocation): Memory {
  const { host, root, trusted, warnings } = ground;
  const change = (work: (host: Host, place: MemoryFolder) => Promise<MemoryDone>) => {
    return (name: string, options: MemoryChoice = {}) =>
      withShared(ground, name, options, async (place) => {
        // Not even for a moment is it there for git to see.
        const note = await keepMemoryOut(host, ground.root, place);
        const done = await work(host, place);
        return done.ok && note !== undefined ? { ...done, notes: [...done.notes, note] } : done;
      });
  };
  return {
    root,
    trusted,
    warnings,
    list: () => listMemory(ground),
    show: (name, options = {}) => withMeant(ground, name, options, (place) => showMemory(host, place, options.file)),
    diff: (name, options = {}) => withShared(ground, name, options, (place) => memoryDifference(host, place)),
    take: change(takeMemory),
    merge: change(mergeMemory),
    decline: change(declineMemory),
    publish: (name, options = {}) => {
      const { force = false } = options;
      return change((machine, place) => publishMemory(machine, place, { force }))(name, options);
    },
    rollBack: (name, options = {}) => {
      const to = options.to === undefined ? {} : { to: options.to };
      return change((machine, place) => rollBackMemory(machine, place, to))(name, options);
    },
    backups: (name, options = {}) =>
      withShared(ground, name, options, async (place) => ({ ok: true, backups: await listBackups(host, place) })),
  };
}

async function withMeant<T extends { readonly ok: boolean }>(
  ground: MemoryLocation,
  wanted: string,
  { scope }: MemoryChoice,
  work: (place: MemoryFolder) => Promise<T>,
): Promise<OfMemory<T>> {
  const meant = await resolveMemory(ground, wanted, scope);
  if (!meant.ok) return meant;
  const { name, place } = meant;
  try {
    // Between two steps of a change that a crash cut off, the folder is missing.
    await recoverMemory(ground.host, place);
    return { ...(await work(place)), name };
  } catch (error) {
    return { ok: false, reason: reasonOf(error), name };
  }
}

/** For what only memory with a snapshot beside it has. */
function withShared<T extends { readonly ok: boolean }>(
  ground: MemoryLocation,
  wanted: string,
  choice: MemoryChoice,
  work: (place: MemoryFolder) => Promise<T>,
) {
  return withMeant<T | { readonly ok: false; readonly reason: string }>(ground, wanted, choice, async (place) => {
    return place.snapshot === undefined ? { ok: false, reason: NO_SNAPSHOTS[place.scope](place) } : work(place);
  });
}

const FOR_LOCAL = 'snapshots are what a team agrees on, for agents with "memory: local"';

const NO_SNAPSHOTS: Readonly<Record<MemoryScope, (place: MemoryFolder) => string>> = {
  user: ({ type, folder }) => `the memory of ${type} is "user", yours in all projects (${folder}): ${FOR_LOCAL}`,
  project: ({ type, folder }) =>
    `the memory of ${type} is "project", shared by committing it (${folder}): ${FOR_LOCAL}. Use git to compare, merge and go back`,
  local: ({ type }) => `the memory of ${type} has no place for snapshots`,
};
