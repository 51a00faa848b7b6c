/**
 * Finds all memory folders of a project and of the user: those of agents, and those that no agent here has (any more).
 * Creates nothing. Without trust, only the user's own are searched (ME-9).
 */

import { memoryName } from '../../config/memory-paths.js';
import { findMemory, type MemoryFolder } from '../../context/memory/find-memory.js';
import { MEMORY_SCOPES, type MemoryScope } from '../../protocol/agent-spawned.js';
import { reasonOf } from '../../protocol/reason-of.js';
import type { MemoryLocation } from './memory-location.js';

export type KnownMemory = {
  /** The agent type; for a folder without one, the folder's name. */
  readonly name: string;
  readonly scope: MemoryScope;
  /** The file that defines the agent. Absent: no agent here has this memory. */
  readonly definedIn?: string;
  /** Alternative names. */
  readonly aliases: readonly string[];
  readonly place: MemoryFolder | undefined;
  /** Why it has no folder: it is untrusted or unusable. */
  readonly reason?: string;
};

export type KnownMemories = { readonly memories: readonly KnownMemory[]; readonly problems: readonly string[] };

export async function findMemories(ground: MemoryLocation): Promise<KnownMemories> {
  const known = ground.definitions.map(({ name }) => name);
  const memories: KnownMemory[] = [];
  for (const { name, writtenName, memory: scope, source } of ground.definitions) {
    if (scope === undefined) continue;
    const aliases = [memoryName(name, known), ...(writtenName === undefined ? [] : [writtenName])];
    const found = await findPlace(ground, scope, name, known);
    memories.push({ name, scope, definedIn: source.file, aliases, ...found });
  }
  const problems: string[] = [];
  const isTaken = (folder: string) => memories.some(({ place }) => place?.folder === folder);
  for (const scope of MEMORY_SCOPES) {
    if (!mayLook(ground, scope)) continue;
    const listed = await listFolders(ground, scope);
    problems.push(...listed.problems);
    for (const name of listed.names) {
      const found = await findPlace(ground, scope, name, []);
      if (found.place !== undefined && isTaken(found.place.folder)) continue;
      const isUsable = found.place === undefined || found.place.name === name;
      memories.push({ name, scope, aliases: [], ...(isUsable ? found : { place: undefined, reason: RENAME }) });
    }
  }
  return { memories, problems };
}

const RENAME =
  'no agent can have a folder of this name: rename it to the agent’s name, with a-z, 0-9, ".", "_" and "-"';

function mayLook({ trusted }: MemoryLocation, scope: MemoryScope): boolean {
  return trusted || scope === 'user';
}

export function explainUntrusted({ project }: Pick<MemoryLocation, 'project'>): string {
  return `${project} is not trusted, so the memory in it is not read: look at the project, then run coppice trust there`;
}

async function findPlace(
  ground: MemoryLocation,
  scope: MemoryScope,
  type: string,
  known: readonly string[],
): Promise<Pick<KnownMemory, 'place' | 'reason'>> {
  if (!mayLook(ground, scope)) return { place: undefined, reason: explainUntrusted(ground) };
  const found = await findMemory(ground.host, { scope, type, known, root: ground.root });
  return found.ok ? { place: found.place } : { place: undefined, reason: found.reason };
}

type ListedFolders = { readonly names: readonly string[]; readonly problems: readonly string[] };

const MOST_FOLDERS = 2_000;

/** The names of all memory folders of a scope, in order; for `local` also those with a team snapshot. */
async function listFolders(ground: MemoryLocation, scope: MemoryScope): Promise<ListedFolders> {
  // Any name works: only the enclosing folder matters, with every link on the way checked.
  const found = await findMemory(ground.host, { scope, type: 'x', known: [], root: ground.root });
  if (!found.ok) return { names: [], problems: [found.reason] };
  const { parent, snapshot } = found.place;
  const parents = snapshot === undefined ? [parent] : [parent, snapshot.parent];
  const names = new Set<string>();
  const problems: string[] = [];
  for (const folder of parents) {
    try {
      if ((await ground.host.files.lstat(folder))?.kind !== 'folder') continue;
      const entries = await ground.host.files.list(folder, MOST_FOLDERS);
      for (const { name, kind } of entries) if (kind !== 'file' && !name.startsWith('.')) names.add(name);
    } catch (error) {
      problems.push(`${folder} can't be read: ${reasonOf(error)}`);
    }
  }
  return { names: [...names].sort(), problems };
}
