/** Lists the memories of a folder's agents, with their sizes and their status relative to the team's snapshot. */

import { inspectSnapshot } from '../../context/memory/snapshots/inspect-snapshot.js';
import type { SnapshotState } from '../../context/memory/snapshots/judge-snapshot.js';
import { recoverMemory } from '../../context/memory/snapshots/memory-lock.js';
import { listBackups } from '../../context/memory/snapshots/roll-back-memory.js';
import type { Host } from '../../host/host.js';
import { MEMORY_FILE, type MemoryScope } from '../../protocol/agent-spawned.js';
import { reasonOf } from '../../protocol/reason-of.js';
import { explainUntrusted, findMemories, type KnownMemory } from './find-memories.js';
import { listMemoryFiles, readMemoryFile } from './memory-files.js';
import type { MemoryLocation } from './memory-location.js';

export type MemoryView = {
  /** The agent type; for an unclaimed memory, its folder. */
  readonly name: string;
  readonly scope: MemoryScope;
  /** The file that defines the agent. */
  readonly definedIn?: string;
  /** No agent here has it. */
  readonly isUnclaimed: boolean;
  /** Absent if it was not read; `reason` explains why. */
  readonly folder?: string;
  readonly reason?: string;
  /** The number of its Markdown files. */
  readonly files: number;
  readonly bytes: number;
  /** The lines of MEMORY.md; absent if there is none. */
  readonly lines?: number;
  /** For `local` memory only. */
  readonly snapshot?: SnapshotView;
  readonly backups: number;
};

/** `initialise`: there is a snapshot, but no memory of mine yet. `ask`: take, merge or decline it. */
export type SnapshotView = {
  readonly state: SnapshotState;
  /** For the user. */
  readonly why: string;
  readonly updatedAt?: string;
  readonly folder: string;
};

export type MemoryList = {
  readonly memories: readonly MemoryView[];
  readonly problems: readonly string[];
  /** Why the project's memory was not read. */
  readonly untrusted?: string;
};

export async function listMemory(ground: MemoryLocation): Promise<MemoryList> {
  const { memories, problems } = await findMemories(ground);
  const views: MemoryView[] = [];
  for (const memory of memories) views.push(await lookAt(ground.host, memory));
  return { memories: views, problems, ...(ground.trusted ? {} : { untrusted: explainUntrusted(ground) }) };
}

async function lookAt(host: Host, memory: KnownMemory): Promise<MemoryView> {
  const { name, scope, definedIn, place, reason } = memory;
  const known = {
    name,
    scope,
    ...(definedIn === undefined ? {} : { definedIn }),
    isUnclaimed: definedIn === undefined,
    ...(place === undefined ? {} : { folder: place.folder }),
  };
  const nothing = { files: 0, bytes: 0, backups: 0 };
  if (place === undefined) return { ...known, ...nothing, ...(reason === undefined ? {} : { reason }) };
  try {
    await recoverMemory(host, place);
    const listed = await listMemoryFiles(host, place.folder);
    if (!listed.ok) return { ...known, ...nothing, reason: listed.reason };
    const { files } = listed;
    const bytes = files.reduce((sum, one) => sum + one.bytes, 0);
    const lines = files.some((one) => one.name === MEMORY_FILE) ? await countLines(host, place.folder) : undefined;
    const seen = { ...known, files: files.length, bytes, ...(lines === undefined ? {} : { lines }) };
    if (place.snapshot === undefined) return { ...seen, backups: 0 };
    const snapshot = { ...(await inspectSnapshot(host, place)), folder: place.snapshot.folder };
    return { ...seen, snapshot, backups: (await listBackups(host, place)).length };
  } catch (error) {
    return { ...known, ...nothing, reason: reasonOf(error) };
  }
}

async function countLines(host: Host, folder: string): Promise<number | undefined> {
  const read = await readMemoryFile(host, folder, MEMORY_FILE);
  if (!read.ok) return undefined;
  const text = read.files[0]?.text ?? '';
  return text === '' ? 0 : text.replace(/\n$/, '').split('\n').length;
}
