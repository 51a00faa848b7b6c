/**
 * Finds an agent's memory folder. Nothing is made. A link below the base is refused, and so is a folder outside the
 * project: what is found is the real path, and whoever opens it holds it by that path (GT-28).
 */

import { basename, dirname, join } from 'node:path';
import {
  type MemoryPath,
  type MemoryRoot,
  memoryName,
  memoryPath,
  refuseRemoteMemory,
  remoteMemory,
  remoteVariable,
  snapshotPath,
} from '../../config/memory-paths.js';
import type { Files } from '../../host/files.js';
import type { Host } from '../../host/host.js';
import type { AgentMemory, MemoryScope } from '../../protocol/agent-spawned.js';
import { reasonOf } from '../../protocol/reason-of.js';

/** A memory folder that may be used. */
export type MemoryFolder = {
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
  | { readonly ok: true; readonly place: MemoryFolder }
  /** For people: why it has no memory, and what to do. */
  | { readonly ok: false; readonly reason: string };

export type MemoryQuery = {
  readonly scope: MemoryScope;
  readonly type: string;
  /** All types there are: two must not meet in one folder. */
  readonly known: readonly string[];
  /** The main checkout. */
  readonly root: string;
};

export async function findMemory(host: Host, { scope, type, known, root }: MemoryQuery): Promise<FoundMemory> {
  const at: MemoryRoot = { root, env: host.env };
  const name = memoryName(type, known);
  const unusable = scope === 'local' ? await refuseMount(host) : undefined;
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

/** The place of an agent that came back: its folder was checked when it started, and is held by that path. */
export async function findMemoryAgain(host: Host, memory: AgentMemory, root: string): Promise<MemoryFolder> {
  const { scope, folder, isPrivate } = memory;
  const name = basename(folder);
  const place = { scope, type: name, name, parent: dirname(folder), folder, isPrivate };
  const snapshot = scope === 'local' ? await findFolder(host.files, snapshotPath(name, { root })) : undefined;
  return snapshot?.ok ? { ...place, snapshot: { parent: snapshot.parent, folder: snapshot.folder } } : place;
}

type FoundFolder =
  | { readonly ok: true; readonly parent: string; readonly folder: string }
  | { readonly ok: false; readonly reason: string };

/** Where there is no mount, nothing is made in its place. */
async function refuseMount({ files, env }: Host): Promise<string | undefined> {
  const remote = remoteMemory(env);
  const isThere = remote !== undefined && (await files.stat(remote).catch(() => undefined))?.kind === 'folder';
  if (remote === undefined || isThere) return refuseRemoteMemory(env);
  return refuseRemoteMemory(env) ?? `${remote} is no folder: mount it, or unset ${remoteVariable(env)}`;
}

async function findFolder(files: Files, { base, names }: MemoryPath): Promise<FoundFolder> {
  try {
    const top = await realBase(files, base);
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

/** Also of one that is not there yet: the way to it may lead through links. */
async function realBase(files: Files, base: string): Promise<string> {
  if ((await files.lstat(base)) !== undefined) return files.realpath(base);
  return dirname(base) === base ? base : join(await realBase(files, dirname(base)), basename(base));
}
