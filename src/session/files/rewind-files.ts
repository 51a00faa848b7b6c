/** Restores files to their content before a prompt; files changed by others are overwritten only on request. */

import type { SessionLayout } from '../../config/paths.js';
import type { Host } from '../../host/host.js';
import type { RewoundFile } from '../../protocol/events.js';
import { reasonOf } from '../../protocol/reason-of.js';
import { areComparable, MOST_EDITS } from '../../protocol/text/compare-limits.js';
import type { FileState } from '../state/agent-state.js';
import { backUpContent, hashOf, inFolderOf, readHeld, sha256Of } from './file-backups.js';

export type FileTarget = {
  readonly path: string;
  /** Hash of the content to restore; null means no file. */
  readonly target: string | null;
  /** Hash of our last write; undefined if the process died before recording it. */
  readonly expected: string | null | undefined;
};

export type LeftFile = { readonly path: string; readonly reason: string };

/** Pure. For each file changed since record `before`: its first saved content and the last content we wrote. */
export function planFileRewind(states: readonly FileState[], before: number): FileTarget[] {
  const targets = new Map<string, FileTarget>();
  for (const { seq, kind, path, sha256 } of states) {
    const known = targets.get(path);
    if (kind === 'kept' && seq > before && known === undefined) {
      targets.set(path, { path, target: sha256, expected: undefined });
    } else if (known !== undefined) {
      targets.set(path, { ...known, expected: kind === 'left' ? sha256 : undefined });
    }
  }
  return [...targets.values()];
}

export async function rewindFiles(
  host: Host,
  layout: SessionLayout,
  targets: readonly FileTarget[],
  how: RewindFilesOptions,
): Promise<RewoundFiles> {
  const files: RewoundFile[] = [];
  const left: LeftFile[] = [];
  let insertions = 0;
  let deletions = 0;
  let patch = '';
  for (const target of targets) {
    const done = await rewindFile(host, layout, target, how);
    if (done === undefined) continue;
    if ('reason' in done) left.push(done);
    else {
      const { before, after, ...file } = done;
      const lines = await countLines(before, after);
      insertions += lines.insertions;
      deletions += lines.deletions;
      files.push(file);
      if (how.dryRun) patch += await describeDifference(file.path, before, after);
    }
  }
  return { files, left, insertions, deletions, ...(how.dryRun ? { patch } : {}) };
}

type RewindFilesOptions = {
  /** Files to overwrite even if others have changed them. */
  readonly overwrite: readonly string[];
  /** Writes nothing. */
  readonly dryRun: boolean;
};

type RewoundFiles = {
  readonly files: readonly RewoundFile[];
  readonly left: readonly LeftFile[];
  readonly insertions: number;
  readonly deletions: number;
  /** With `dryRun`: the changes as a patch. */
  readonly patch?: string;
};

type Contents = { readonly before: Buffer | undefined; readonly after: Buffer | undefined };

/** Binary files have no lines. Those of files that can't be compared all count as changed. */
async function countLines(
  before: Buffer = NO_BYTES,
  after: Buffer = NO_BYTES,
): Promise<{ readonly insertions: number; readonly deletions: number }> {
  if (before.includes(0) || after.includes(0)) return { insertions: 0, deletions: 0 };
  const { diffLines } = await import('diff');
  const [old, next] = [before.toString('utf8'), after.toString('utf8')];
  const parts = areComparable(old, next) ? diffLines(old, next, { maxEditLength: MOST_EDITS }) : undefined;
  if (parts === undefined) return { insertions: linesIn(next), deletions: linesIn(old) };
  const sum = (of: 'added' | 'removed') => parts.reduce((total, part) => total + (part[of] ? part.count : 0), 0);
  return { insertions: sum('added'), deletions: sum('removed') };
}

const NO_BYTES = Buffer.alloc(0);

async function describeDifference(path: string, before: Buffer = NO_BYTES, after: Buffer = NO_BYTES): Promise<string> {
  const { createTwoFilesPatch } = await import('diff');
  const [old, next] = [before.toString('utf8'), after.toString('utf8')];
  const isText = !before.includes(0) && !after.includes(0);
  if (!isText) return `${path}: ${before.length} bytes become ${after.length}\n`;
  const patch = areComparable(old, next)
    ? createTwoFilesPatch(path, path, old, next, '', '', { maxEditLength: MOST_EDITS })
    : undefined;
  return (
    patch?.replace(/^(?:Index: .*\n)?=+\n/, '') ??
    `${path}: ${before.length} bytes become ${after.length} (too different to be shown)\n`
  );
}

function linesIn(text: string): number {
  return text === '' ? 0 : text.replace(/\n$/, '').split('\n').length;
}

/** Files that others changed since our last write. They are overwritten only on request. */
export async function changedByOthers({ files }: Host, targets: readonly FileTarget[]): Promise<string[]> {
  const changed: string[] = [];
  for (const { path, target, expected } of targets) {
    const now = await hashOf(files, path);
    if (now !== undefined && now !== target && now !== expected) changed.push(path);
  }
  return changed;
}

/** Returns undefined if the file already holds the target content. */
async function rewindFile(
  host: Host,
  layout: SessionLayout,
  { path, target, expected }: FileTarget,
  { overwrite, dryRun }: RewindFilesOptions,
): Promise<(RewoundFile & Contents) | LeftFile | undefined> {
  const now = await hashOf(host.files, path);
  if (now === undefined) return { path, reason: 'it is no longer a regular file, or it cannot be read' };
  if (now === target) return undefined;
  if (now !== expected && !overwrite.includes(path))
    return { path, reason: 'a command or someone else has changed it since' };
  try {
    const content = target === null ? undefined : await readSaved(host, layout, target);
    if (dryRun) return { path, sha256: target, from: now, before: await readNow(host, path, now), after: content };
    // Save the current content too, so that a rewind can be undone.
    const saved = await backUpContent(host, layout, path);
    if (saved === undefined || (typeof saved === 'object' && saved !== null)) {
      return { path, reason: saved?.reason ?? 'it is no longer a regular file' };
    }
    const before = saved === null ? undefined : await readSaved(host, layout, saved);
    await inFolderOf(host.files, path, async (folder, name) => {
      if (content === undefined) await folder.remove(name);
      else await folder.replace(name, content, { mode: 0o666 });
    });
    return { path, sha256: target, from: saved, before, after: content };
  } catch (error) {
    return { path, reason: reasonOf(error) };
  }
}

async function readNow({ files }: Host, path: string, now: string | null): Promise<Buffer | undefined> {
  return now === null ? undefined : ((await readHeld(files, path)) ?? undefined);
}

async function readSaved(host: Host, layout: SessionLayout, sha256: string): Promise<Buffer> {
  const content = await host.files.read(layout.keptFile(sha256));
  if (sha256Of(content) !== sha256) throw new Error('its saved content is damaged');
  return content;
}
