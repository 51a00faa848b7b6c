/**
 * Backs up files before edit tools change them: content by hash in the session's folder, changes as records in the main
 * transcript. `rewind-files` restores them.
 */

import type { SessionLayout } from '../../config/paths.js';
import type { Host } from '../../host/host.js';
import type { ChangedBy } from '../../protocol/events.js';
import { reasonOf } from '../../protocol/reason-of.js';
import type { Emit } from '../emit.js';
import { readPath, readPathSafely } from './path-state.js';
import { storeContents } from './stored-content.js';

export interface FileBackups {
  /** Call before a change. Returns a reason if the content can't be saved; then the file must not be changed. */
  backUp(paths: readonly string[], by: ChangedBy): Promise<string | undefined>;
  /** Call after a change, also after a failed one. */
  noteChange(paths: readonly string[], by: ChangedBy): Promise<void>;
}

/** `emit` is the main agent's: its transcript has the prompts, so the order of prompts and changes is known. */
export function createFileBackups(host: Host, layout: SessionLayout, emit: () => Emit | undefined): FileBackups {
  return {
    backUp: async (paths, by) => {
      for (const path of paths) {
        const found = await readPath(host.files, path).catch(reasonOf);
        if (typeof found === 'string') return unsaved(path, found);
        // Edit tools refuse anything but files.
        if (found === undefined || found.state.as !== undefined) continue;
        try {
          if (found.content !== undefined) await storeContents(host, layout, [found.content]);
        } catch (error) {
          return unsaved(path, reasonOf(error));
        }
        await emit()?.({ kind: 'file-kept', path, ...found.state, ...by });
      }
      return undefined;
    },
    noteChange: async (paths, by) => {
      for (const path of paths) {
        const left = await readPathSafely(host.files, path);
        if (left !== undefined && left.state.as === undefined)
          await emit()?.({ kind: 'file-left', path, ...left.state, ...by });
      }
    },
  };
}

function unsaved(path: string, reason: string): string {
  return `${path} was not changed: its current content could not be saved for a rewind (${reason}).`;
}
