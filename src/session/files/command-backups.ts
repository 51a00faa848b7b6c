/**
 * Backs up what a command may delete, overwrite or create, before it runs (GT-36): contents, modes, links, folders with
 * everything in them, git's index. All of it is one record, and so is what the command left.
 */

import { dirname } from 'node:path';
import type { SessionLayout } from '../../config/paths.js';
import type { Files } from '../../host/files.js';
import type { Host } from '../../host/host.js';
import type { ChangedBy, PathState } from '../../protocol/events.js';
import { BACKUP_LIMITS } from '../../protocol/permission.js';
import { reasonOf } from '../../protocol/reason-of.js';
import type { Result } from '../../protocol/result.js';
import type { Emit } from '../emit.js';
import { findRepository, isIndex } from './git-index.js';
import { isSameState, listTree, NOTHING, readPath, readPathSafely } from './path-state.js';
import { storeContents } from './stored-content.js';

export type CommandChanges = {
  /** Real paths. A folder stands for everything in it. */
  readonly paths: readonly string[];
  /** The folder whose repository's index is changed too. */
  readonly gitFolder?: string;
};

export interface CommandBackups {
  /**
   * Call before the command runs; it must not run if this fails. `skipped`: what can't be restored, because it is no file,
   * folder or link, or not ours.
   */
  backUp(changes: CommandChanges, by: ChangedBy): Promise<Result<{ readonly skipped: readonly string[] }>>;
  /** Call when the command has ended in any way. Never rejects: without it, a rewind asks before it overwrites. */
  note(by: ChangedBy): Promise<void>;
}

/** A command that runs. */
type Running = {
  readonly since: number;
  /** The given paths, and folders that would be created with them. */
  readonly tops: readonly string[];
  readonly before: ReadonlyMap<string, PathState>;
  /** The folders around the given paths: git removes those that become empty. */
  readonly around: ReadonlyMap<string, PathState>;
};

/** `emit` is the main agent's; `bytesLeft`: how much may still be stored in the session. */
export function createCommandBackups(
  host: Host,
  layout: SessionLayout,
  emit: () => Emit | undefined,
  bytesLeft: () => number,
): CommandBackups {
  const running = new Map<string, Running>();
  return {
    backUp: async (changes, by) => {
      try {
        const { files } = host;
        const { paths, skipped: unknown } = await withIndexes(files, changes);
        const tops = await withMissingFolders(files, paths);
        const found = await readAll(files, tops, Math.min(BACKUP_LIMITS.commandBytes, bytesLeft()));
        if (!found.ok) return { ok: false, reason: `The command was not run: ${found.reason}` };
        const { before, contents, skipped } = found;
        await storeContents(host, layout, contents);
        const kept = [...before].map(([path, state]) => ({ path, ...state }));
        const since = (await emit()?.({ kind: 'files-kept', files: kept, ...by })) ?? 0;
        running.set(by.call, { since, tops, before, around: await foldersAround(files, tops, before) });
        return { ok: true, skipped: [...unknown, ...skipped] };
      } catch (error) {
        const reason = `what it changes could not be saved for a rewind (${reasonOf(error)}).`;
        return { ok: false, reason: `The command was not run: ${reason}` };
      }
    },
    note: async (by) => {
      const command = running.get(by.call);
      running.delete(by.call);
      if (command === undefined) return;
      try {
        const after = await readAfter(host, layout, command);
        const { since } = command;
        await emit()?.({ kind: 'files-left', since, files: after, ...by });
      } catch {
        // The transcript may be closed.
      }
    },
  };
}

async function withIndexes(files: Files, { paths, gitFolder }: CommandChanges) {
  const indexes = new Set<string>();
  const skipped = new Set<string>();
  if (gitFolder !== undefined) {
    for (const folder of new Set([gitFolder, ...paths.map((path) => dirname(path))])) {
      const repository = await findRepository(files, folder);
      if (repository?.index !== undefined) indexes.add(repository.index);
      else if (repository !== undefined) skipped.add(`the index of ${repository.top}`);
    }
  }
  return { paths: [...new Set([...paths, ...indexes])], skipped: [...skipped] };
}

/** Before the path of a file in a folder that does not exist comes that folder: the command would create it. */
async function withMissingFolders(files: Files, paths: readonly string[]): Promise<readonly string[]> {
  const all = new Set<string>();
  for (const path of paths) {
    const missing: string[] = [];
    for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
      if (all.has(folder) || (await files.lstat(folder)) !== undefined) break;
      missing.unshift(folder);
    }
    for (const one of [...missing, path]) all.add(one);
  }
  return [...all];
}

type Before = {
  readonly before: ReadonlyMap<string, PathState>;
  readonly contents: readonly Buffer[];
  readonly skipped: readonly string[];
};

async function readAll(files: Files, tops: readonly string[], mostBytes: number): Promise<Result<Before>> {
  const before = new Map<string, PathState>();
  const contents: Buffer[] = [];
  const skipped: string[] = [];
  const { commandFiles } = BACKUP_LIMITS;
  let bytes = 0;
  for (const top of tops) {
    if (before.has(top)) continue;
    const tree = await listTree(files, top, commandFiles);
    if (tree === undefined || before.size + tree.length > commandFiles)
      return { ok: false, reason: `it changes more than ${commandFiles} files, which are too many for a rewind.` };
    if (tree.length === 0) before.set(top, NOTHING);
    const size = tree.reduce((sum, { stat }) => sum + (stat.kind === 'file' ? stat.size : 0), 0);
    if (bytes + size > mostBytes) return tooLarge(mostBytes);
    for (const { path } of tree) {
      if (before.has(path)) continue;
      const found = await readPath(files, path);
      if (found === undefined) skipped.push(path);
      else {
        before.set(path, found.state);
        if (found.content !== undefined) contents.push(found.content);
        bytes += found.content?.length ?? 0;
      }
      if (bytes > mostBytes) return tooLarge(mostBytes);
    }
  }
  return { ok: true, before, contents, skipped };
}

function tooLarge(most: number): Result<Before> {
  const limit = most === BACKUP_LIMITS.commandBytes ? 'a command may change' : 'this session may still save';
  const size = `${Math.floor(Math.max(0, most) / 1_000_000)} MB`;
  return { ok: false, reason: `it changes files of more than the ${size} that ${limit} with a rewind.` };
}

async function foldersAround(
  files: Files,
  tops: readonly string[],
  before: ReadonlyMap<string, PathState>,
): Promise<ReadonlyMap<string, PathState>> {
  const around = new Map<string, PathState>();
  for (const top of tops) {
    for (let folder = dirname(top); folder !== dirname(folder); folder = dirname(folder)) {
      if (around.has(folder) || before.has(folder)) break;
      const found = await readPathSafely(files, folder);
      if (found?.state.as === 'folder') around.set(folder, found.state);
    }
  }
  return around;
}

type After = PathState & { readonly path: string; readonly was?: PathState };

async function readAfter(host: Host, layout: SessionLayout, command: Running): Promise<readonly After[]> {
  const { files } = host;
  const { tops, before, around } = command;
  const after = new Map<string, After>();
  let bytes = 0;
  const note = async (path: string, was?: PathState) => {
    if (after.has(path)) return;
    const found = await readPathSafely(files, path, BACKUP_LIMITS.commandBytes);
    if (found === undefined) return;
    bytes += found.content?.length ?? 0;
    after.set(path, { path, ...found.state, ...(was === undefined ? {} : { was }) });
    // Stored too: git may update it without a change, and then the two are compared.
    if (isIndex(path) && found.content !== undefined) await storeContents(host, layout, [found.content]);
  };
  for (const path of before.keys()) await note(path);
  for (const top of tops) {
    const tree = await listTree(files, top, BACKUP_LIMITS.commandFiles).catch(() => undefined);
    const size = tree?.reduce((sum, { path, stat }) => sum + (after.has(path) ? 0 : stat.size), 0) ?? 0;
    // It made too much to be compared later: without its state, a rewind asks before it removes it.
    if (tree === undefined || bytes + size > BACKUP_LIMITS.commandBytes) after.delete(top);
    else for (const { path } of tree) await note(path, NOTHING);
  }
  for (const [path, was] of around) {
    const found = await readPathSafely(files, path);
    if (found !== undefined && !isSameState(found.state, was) && found.state.as === undefined) await note(path, was);
  }
  return [...after.values()];
}
