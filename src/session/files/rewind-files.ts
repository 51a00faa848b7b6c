/** Restores paths to their state before a prompt; those changed by others are overwritten only on request. */

import { isWithin } from '../../config/path-within.js';
import type { SessionLayout } from '../../config/paths.js';
import type { Host } from '../../host/host.js';
import type { PathState, RewoundFile } from '../../protocol/events.js';
import { BACKUP_LIMITS } from '../../protocol/permission.js';
import { reasonOf } from '../../protocol/reason-of.js';
import { type FileState, stateAt } from '../state/agent-state.js';
import { countLines, describeDifference } from './describe-changes.js';
import { isIndex, listSameFiles } from './git-index.js';
import { type FoundPath, isNothing, isSameState, listTree, NOTHING, readPathSafely } from './path-state.js';
import type { RefusePath } from './restorable-paths.js';
import { depthOf, type LeftFile, type Restoration, restorePaths } from './restore-paths.js';
import { readStored, storeContents } from './stored-content.js';

export type FileTarget = {
  readonly path: string;
  readonly target: PathState;
  /** The state we left; undefined if the process died before recording it. */
  readonly expected: PathState | undefined;
};

/** Pure. For each path changed since record `before`: its first saved state and the last state we left. */
export function planFileRewind(states: readonly FileState[], before: number): FileTarget[] {
  const targets = new Map<string, FileTarget>();
  for (const { seq, kind, ...at } of states) {
    const { path, ...state } = stateAt(at);
    const known = targets.get(path);
    if (kind === 'kept' && seq > before && known === undefined) {
      targets.set(path, { path, target: state, expected: undefined });
    } else if (known !== undefined) {
      targets.set(path, { ...known, expected: kind === 'left' ? state : undefined });
    }
  }
  return [...targets.values()];
}

export async function rewindFiles(
  host: Host,
  layout: SessionLayout,
  targets: readonly FileTarget[],
  { overwrite, dryRun, refuse }: RewindFilesOptions,
): Promise<RewoundFiles> {
  const left: LeftFile[] = [];
  const planned: Restoration[] = [];
  for (const target of await withCreated(host, targets)) {
    const { path } = target;
    const refused = await refuse(path);
    const checked = refused === undefined ? await check(host, layout, target, overwrite) : { path, reason: refused };
    if (checked === undefined) continue;
    if ('reason' in checked) left.push(checked);
    else planned.push(checked);
  }
  const { done, failed } = dryRun
    ? { done: planned, failed: [] }
    : await restorePaths(host.files, await storeCurrent(host, layout, planned, left));
  const files: RewoundFile[] = [];
  let [insertions, deletions, patch] = [0, 0, ''];
  for (const { path, now, to } of done) {
    const { sha256: from, ...was } = now.state;
    files.push({ path, ...to.state, from, ...(Object.keys(was).length > 0 ? { was } : {}) });
    const lines = await countLines(now, to);
    insertions += lines.insertions;
    deletions += lines.deletions;
    if (dryRun) patch += await describeDifference(path, now, to);
  }
  return { files, left: [...left, ...failed], insertions, deletions, ...(dryRun ? { patch } : {}) };
}

type RewindFilesOptions = {
  /** Paths to overwrite, with everything in them, even if others have changed them. */
  readonly overwrite: readonly string[];
  /** Writes nothing. */
  readonly dryRun: boolean;
  readonly refuse: RefusePath;
};

type RewoundFiles = {
  readonly files: readonly RewoundFile[];
  readonly left: readonly LeftFile[];
  readonly insertions: number;
  readonly deletions: number;
  /** With `dryRun`: the changes as a patch. */
  readonly patch?: string;
};

/** Paths that others changed since we left them; of folders only the outermost. They are overwritten only on request. */
export async function changedByOthers(
  host: Host,
  layout: SessionLayout,
  targets: readonly FileTarget[],
  refuse: RefusePath,
): Promise<string[]> {
  const changed: string[] = [];
  for (const target of await withCreated(host, targets)) {
    const { path } = target;
    if (changed.some((outer) => isWithin(outer, path)) || (await refuse(path)) !== undefined) continue;
    const now = await readPathSafely(host.files, path);
    if (now === undefined || isSameState(now.state, target.target)) continue;
    if (!(await isAsLeft(host, layout, target, now))) changed.push(path);
  }
  return changed;
}

/** Adds what is now in folders that were not there: it has to go with them. Folders come before their content. */
async function withCreated({ files }: Host, targets: readonly FileTarget[]): Promise<readonly FileTarget[]> {
  const all = new Map(targets.map((target) => [target.path, target]));
  for (const { path, target } of targets) {
    if (target.as === 'folder') continue;
    const tree = (await listTree(files, path, BACKUP_LIMITS.commandFiles).catch(() => undefined)) ?? [];
    for (const { path: below } of tree) {
      if (!all.has(below)) all.set(below, { path: below, target: NOTHING, expected: undefined });
    }
  }
  return [...all.values()].sort((a, b) => depthOf(a) - depthOf(b));
}

/** Nothing is lost if what we may have removed is not there. */
async function isAsLeft(
  host: Host,
  layout: SessionLayout,
  { path, expected }: FileTarget,
  now: FoundPath,
): Promise<boolean> {
  if (expected === undefined) return isNothing(now.state);
  if (isSameState(now.state, expected)) return true;
  if (!isIndex(path) || now.content === undefined || expected.sha256 === null) return false;
  const content = await readStored(host, layout, expected.sha256).catch(() => undefined);
  return content !== undefined && listSameFiles(content, now.content);
}

/** Returns undefined if the path is already in the target state. */
async function check(
  host: Host,
  layout: SessionLayout,
  target: FileTarget,
  overwrite: readonly string[],
): Promise<Restoration | LeftFile | undefined> {
  const { path } = target;
  const now = await readPathSafely(host.files, path);
  if (now === undefined) return { path, reason: 'it is no file, folder or link any more, or it cannot be read' };
  if (isSameState(now.state, target.target)) return undefined;
  if (!overwrite.some((outer) => isWithin(outer, path)) && !(await isAsLeft(host, layout, target, now)))
    return { path, reason: 'a command or someone else has changed it since' };
  if (isIndex(path) && (await host.files.lstat(`${path}.lock`)) !== undefined)
    return { path, reason: 'git is using it' };
  try {
    const { sha256 } = target.target;
    const content = sha256 === null ? undefined : await readStored(host, layout, sha256);
    return { path, now, to: { state: target.target, ...(content === undefined ? {} : { content }) } };
  } catch (error) {
    return { path, reason: reasonOf(error) };
  }
}

/** Saves the current content too, so that a rewind can be undone. Returns what could be saved. */
async function storeCurrent(
  host: Host,
  layout: SessionLayout,
  planned: readonly Restoration[],
  left: LeftFile[],
): Promise<readonly Restoration[]> {
  const saved: Restoration[] = [];
  for (const one of planned) {
    try {
      if (one.now.content !== undefined) await storeContents(host, layout, [one.now.content]);
      saved.push(one);
    } catch (error) {
      left.push({ path: one.path, reason: reasonOf(error) });
    }
  }
  return saved;
}
