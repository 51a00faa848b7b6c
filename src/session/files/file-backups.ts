/**
 * Backs up files before tools change them: content by hash in the session's folder, changes as records in the main
 * transcript. `rewind-files` restores them.
 */

import { createHash } from 'node:crypto';
import { basename, dirname } from 'node:path';
import type { SessionLayout } from '../../config/paths.js';
import type { Files, HeldFolder } from '../../host/files.js';
import type { Host } from '../../host/host.js';
import { reasonOf } from '../../protocol/reason-of.js';
import type { Emit } from '../emit.js';
import { makeDurableFolder } from '../transcript/durable-folder.js';

export interface FileBackups {
  /** Call before a change. Returns a reason if the content can't be saved; then the file must not be changed. */
  backUp(paths: readonly string[], by: ChangedBy): Promise<string | undefined>;
  /** Call after a change, also after a failed one. */
  noteChange(paths: readonly string[], by: ChangedBy): Promise<void>;
}

type ChangedBy = { readonly agent: string; readonly call: string };

/** `emit` is the main agent's: its transcript has the prompts, so the order of prompts and changes is known. */
export function createFileBackups(host: Host, layout: SessionLayout, emit: () => Emit | undefined): FileBackups {
  return {
    backUp: async (paths, by) => {
      for (const path of paths) {
        const saved = await backUpContent(host, layout, path);
        if (typeof saved === 'object' && saved !== null) return saved.reason;
        if (saved !== undefined) await emit()?.({ kind: 'file-kept', path, sha256: saved, ...by });
      }
      return undefined;
    },
    noteChange: async (paths, by) => {
      for (const path of paths) {
        const left = await hashOf(host.files, path);
        if (left !== undefined) await emit()?.({ kind: 'file-left', path, sha256: left, ...by });
      }
    },
  };
}

/** Returns the content's hash, null if there is no file, undefined for anything but a regular file. */
export async function backUpContent(
  host: Host,
  layout: SessionLayout,
  path: string,
): Promise<string | null | undefined | { readonly reason: string }> {
  try {
    const content = await readHeld(host.files, path);
    if (content === null || content === undefined) return content;
    const sha256 = sha256Of(content);
    const target = layout.keptFile(sha256);
    if ((await host.files.stat(target)) === undefined) {
      await makeDurableFolder(host.files, layout.files);
      await host.files.replace(target, content, 0o600);
      await host.files.syncFolder(layout.files);
    }
    return sha256;
  } catch (error) {
    const reason = reasonOf(error);
    return { reason: `${path} was not changed: its current content could not be saved for a rewind (${reason}).` };
  }
}

/** Hash of the current content; null if there is no file, undefined if it can't be read or is not a regular file. */
export async function hashOf(files: Files, path: string): Promise<string | null | undefined> {
  try {
    const content = await readHeld(files, path);
    return content === null || content === undefined ? content : sha256Of(content);
  } catch {
    return undefined;
  }
}

/** The content of a regular file by its real path; null if there is none, undefined if it is anything else (GT-28). */
export async function readHeld(files: Files, path: string): Promise<Buffer | null | undefined> {
  if ((await files.lstat(dirname(path))) === undefined) return null;
  return inFolderOf(files, path, async (folder, name) => {
    const found = await folder.lstat(name);
    if (found === undefined) return null;
    if (found.kind !== 'file') return undefined;
    const file = await folder.openRead(name);
    try {
      const { kind, size } = await file.stat();
      return kind === 'file' ? await file.read(0, size) : undefined;
    } finally {
      await file.close();
    }
  });
}

/** Holds the folder of a file by its real path. */
export async function inFolderOf<T>(
  files: Files,
  path: string,
  work: (folder: HeldFolder, name: string) => Promise<T>,
): Promise<T> {
  const folder = await files.holdFolder(dirname(path));
  try {
    return await work(folder, basename(path));
  } finally {
    await folder.close();
  }
}

export function sha256Of(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
