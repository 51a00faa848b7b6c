/**
 * Finds an agent's memory folder, without creating it. Links below the base and folders outside the project are refused.
 * The result is the real path; callers open it by that path (GT-28).
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
import type { Result } from '../../protocol/result.js';

/** A memory folder that may be used. */
export type MemoryFolder = {
  readonly scope: MemoryScope;
  /** The type of agent it belongs to. */
  readonly type: string;
  /** Its own name: the type as the name of a folder. */
  readonly name: string;
  /** The real path of its parent, which also has the files of an update. */
  readonly parent: string;
  /** Its real path. It need not exist yet. */
  readonly folder: string;
  readonly isPrivate: boolean;
  /** `local` only: the real path of the team's snapshot, which need not exist. */
  readonly snapshot?: { readonly parent: string; readonly folder: string };
};

/** `reason`: for the user, with what to do. */
export type FoundMemory = Result<{ readonly place: MemoryFolder }>;

export type MemoryQuery = {
  readonly scope: MemoryScope;
  readonly type: string;
  /** All agent types: two must not share a folder. */
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

/** The memory of a resumed agent: its folder was checked when it started. */
export async function findMemoryAgain(host: Host, memory: AgentMemory, root: string): Promise<MemoryFolder> {
  const { scope, folder, isPrivate } = memory;
  const name = basename(folder);
  const place = { scope, type: name, name, parent: dirname(folder), folder, isPrivate };
  const snapshot = scope === 'local' ? await findFolder(host.files, snapshotPath(name, { root })) : undefined;
  return snapshot?.ok ? { ...place, snapshot: { parent: snapshot.parent, folder: snapshot.folder } } : place;
}

type FoundFolder = Result<{ readonly parent: string; readonly folder: string }>;

/** Without the mount, no folder is created in its place. */
async function refuseMount({ files, env }: Host): Promise<string | undefined> {
  const remote = remoteMemory(env);
  const isThere = remote !== undefined && (await files.stat(remote).catch(() => undefined))?.kind === 'folder';
  if (remote === undefined || isThere) return refuseRemoteMemory(env);
  return refuseRemoteMemory(env) ?? `${remote} is not a folder: mount it, or unset ${remoteVariable(env)}`;
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
      // A project's `.claude` may be a link to another folder of the project.
      const real = name === '.claude' ? await files.realpath(folder) : undefined;
      if (real === undefined) return { ok: false, reason: `${folder} is a link; memory folders must not be links` };
      if (!real.startsWith(`${top}/`))
        return { ok: false, reason: `${folder} is a link out of the project, to ${real}` };
      folder = real;
    }
    return { ok: true, parent, folder };
  } catch (error) {
    return { ok: false, reason: reasonOf(error) };
  }
}

/** Also for a path that does not exist yet: its parents may be links. */
async function realBase(files: Files, base: string): Promise<string> {
  if ((await files.lstat(base)) !== undefined) return files.realpath(base);
  return dirname(base) === base ? base : join(await realBase(files, dirname(base)), basename(base));
}
