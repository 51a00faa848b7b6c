/**
 * User operations on the memory of agents: list it, show it, compare it with the team's snapshot, take, merge, publish
 * or decline that, and roll back (ME-5). Shared by the command line, sessions and the library.
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
import type { Failure, Result } from '../../protocol/result.js';
import { listMemory, type MemoryList } from './list-memory.js';
import type { MemoryLocation } from './memory-location.js';
import { resolveMemory } from './resolve-memory.js';
import { type ShownMemory, showMemory } from './show-memory.js';

/** `scope`: selects one if several folders have the name. Omitted: the one that the agent uses. */
export type MemoryChoice = { readonly scope?: MemoryScope | undefined };

/** `name`: the resolved memory. Absent if the given name is unknown. */
export type OfMemory<T> = (T | Failure) & { readonly name?: string };

export type MemoryBackups = Result<{ readonly backups: readonly MemoryBackup[] }>;

/** Names are those of agents, in any spelling, or of folders. Never rejects: failures are in the result. */
export interface Memory {
  /** The main checkout that the memory belongs to. */
  readonly root: string;
  /** Without trust, only `user` memory can be used. */
  readonly trusted: boolean;
  /** Problems in agent files, one line each. */
  readonly warnings: readonly string[];
  /** Every agent with memory, and folders that no agent here has. */
  list(): Promise<MemoryList>;
  /** The Markdown files with their content: all, or one. */
  show(name: string, options?: MemoryChoice & { readonly file?: string | undefined }): Promise<OfMemory<ShownMemory>>;
  /** The difference to the team's snapshot, as a unified diff from mine to the snapshot. */
  diff(name: string, options?: MemoryChoice): Promise<OfMemory<MemoryDifference>>;
  /** Replaces mine with the snapshot, after a backup. */
  take(name: string, options?: MemoryChoice): Promise<OfMemory<MemoryDone>>;
  /** Merges new content of the snapshot into mine. */
  merge(name: string, options?: MemoryChoice): Promise<OfMemory<MemoryDone>>;
  /**
   * Replaces the snapshot with mine, for the team to commit. `force`: even over one that I have neither taken nor
   * declined.
   */
  publish(
    name: string,
    options?: MemoryChoice & { readonly force?: boolean | undefined },
  ): Promise<OfMemory<MemoryDone>>;
  /** Keeps mine; this snapshot is not offered again. */
  decline(name: string, options?: MemoryChoice): Promise<OfMemory<MemoryDone>>;
  /** Restores a backup: the newest, or the one of this name. */
  rollBack(name: string, options?: MemoryChoice & { readonly to?: string | undefined }): Promise<OfMemory<MemoryDone>>;
  /** Newest first. */
  backups(name: string, options?: MemoryChoice): Promise<OfMemory<MemoryBackups>>;
}

export function createMemory(ground: MemoryLocation): Memory {
  const { host, root, trusted, warnings } = ground;
  const change = (work: (host: Host, place: MemoryFolder) => Promise<MemoryDone>) => {
    return (name: string, options: MemoryChoice = {}) =>
      withShared(ground, name, options, async (place) => {
        // Exclude it first, so that git never sees it, not even for a moment.
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
    show: (name, options = {}) => withResolved(ground, name, options, (place) => showMemory(host, place, options.file)),
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

async function withResolved<T extends { readonly ok: boolean }>(
  ground: MemoryLocation,
  requested: string,
  { scope }: MemoryChoice,
  work: (place: MemoryFolder) => Promise<T>,
): Promise<OfMemory<T>> {
  const resolved = await resolveMemory(ground, requested, scope);
  if (!resolved.ok) return resolved;
  const { name, place } = resolved;
  try {
    // If a crash cut off a change between two steps, the folder is missing.
    await recoverMemory(ground.host, place);
    return { ...(await work(place)), name };
  } catch (error) {
    return { ok: false, reason: reasonOf(error), name };
  }
}

/** For operations that require a memory with a snapshot. */
function withShared<T extends { readonly ok: boolean }>(
  ground: MemoryLocation,
  requested: string,
  choice: MemoryChoice,
  work: (place: MemoryFolder) => Promise<T>,
) {
  return withResolved<T | Failure>(ground, requested, choice, async (place) => {
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
