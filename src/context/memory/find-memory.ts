/**
 * Finds an agent's memory folder. Nothing is made. A link below the base is refused, and so is a folder outside the
 * project: what is found is the real path, and whoever opens it holds it by that path (GT-28).
 */

import { join } from 'node:path';
import {
  type MemoryPath,
  type MemoryRoot,
  memoryName,
  memoryPath,
  refuseRemoteMemory,
  snapshotPath,
} from '../../config/memory-paths.js';
import type { Files } from '../../host/files.js';
import type { Host } from '../../host/host.js';
import type { MemoryScope } from '../../protocol/agent-spawned.js';
import { reasonOf } from '../../protocol/reason-of.js';

/** A memory folder that may be used. */
export type MemoryPlace = {
  readonly scope: MemoryScope;
  /** The type of agent it belongs to. */
  readonly type: string;
  /** Its own name: the type as the name of a folder. */
  readonly name: string;
  /** The folder around it; what belongs to an update of it is in there too. Real. */
  readonly parent: string;
  /** Real. It need not exist yet. */
  readonly folder: string;
  readonly isPrivate: boolean;
  /** `local` only: where the team's snapshot is or would be. Real. */
  readonly snapshot?: { readonly parent: string; readonly folder: string };
};

export type FoundMemory =
  | { readonly ok: true; readonly place: MemoryPlace }
  /** For people: why it has no memory, and what to do. */
  | { readonly ok: false; readonly reason: string };

export type MemoryQuestion = {
  readonly scope: MemoryScope;
  readonly type: string;
  /** All types there are: two must not meet in one folder. */
  readonly known: readonly string[];
  /** The main checkout. */
  readonly root: string;
};

export async function findMemory(host: Host, { scope, type, known, root }: MemoryQuestion): Promise<FoundMemory> {
  const at: MemoryRoot = { root, env: host.env };
  const name = memoryName(type, known);
  const unusable = scope === 'local' ? refuseRemoteMemory(host.env) : undefined;
  if (unusable !== undefined) return { ok: false, reason: unusable };
  const found = await findFolder(host.files, memoryPath(scope, name, at));
  if (!found.ok) return found;
  const { parent, folder } = found;
  const place = { scope, type, name, parent, folder, isPrivate: scope !== 'project' };
  if (scope !== 'local') return { ok: true, place };
  const snapshot = await findFolder(host.files, snapshotPath(name, at));
  if (!snapshot.ok) return snapshot;
  return { ok: true, place: { ...place, snapshot: { parent: snapshot.parent, folder: snapshot.folder } } };
}

type FoundFolder =
  | { readonly ok: true; readonly parent: string; readonly folder: string }
  | { readonly ok: false; readonly reason: string };

async function findFolder(files: Files, { base, names }: MemoryPath): Promise<FoundFolder> {
  try {
    if ((await files.stat(base))?.kind !== 'folder' && names[0] === 'projects') {
      return { ok: false, reason: `${base} is not there: mount it, or unset COPPICE_REMOTE_MEMORY_DIR` };
    }
    const top = (await files.stat(base)) === undefined ? base : await files.realpath(base);
    let parent = top;
    let folder = top;
    for (const name of names) {
      parent = folder;
      folder = join(folder, name);
      const found = await files.lstat(folder);
      if (found === undefined || found.kind === 'folder') continue;
      if (found.kind !== 'link') return { ok: false, reason: `${folder} is not a folder` };
      // A project may keep its `.claude` elsewhere, inside the project.
      const real = name === '.claude' ? await files.realpath(folder) : undefined;
      if (real === undefined) return { ok: false, reason: `${folder} is a link: memory is not kept behind links` };
      if (!real.startsWith(`${top}/`)) return { ok: false, reason: `${folder} leads out of the project, to ${real}` };
      folder = real;
    }
    return { ok: true, parent, folder };
  } catch (error) {
    return { ok: false, reason: reasonOf(error) };
  }
}
