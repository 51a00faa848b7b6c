/** The stored contents of a session: by hash, once each, in its folder, and gone with it. */

import type { SessionLayout } from '../../config/paths.js';
import type { SyncFiles } from '../../host/files.js';
import type { Host } from '../../host/host.js';
import { BACKUP_LIMITS } from '../../protocol/permission.js';
import { makeDurableFolder } from '../transcript/durable-folder.js';
import { sha256Of } from './path-state.js';

/** When it resolves, all are on disk. */
export async function storeContents(host: Host, layout: SessionLayout, contents: readonly Buffer[]): Promise<void> {
  let isNew = false;
  for (const content of contents) {
    const target = layout.keptFile(sha256Of(content));
    if ((await host.files.stat(target)) !== undefined) continue;
    if (!isNew) await makeDurableFolder(host.files, layout.files);
    await host.files.replace(target, content, 0o600);
    isNew = true;
  }
  if (isNew) await host.files.syncFolder(layout.files);
}

export async function readStored({ files }: Host, layout: SessionLayout, sha256: string): Promise<Buffer> {
  const content = await files.read(layout.keptFile(sha256));
  if (sha256Of(content) !== sha256) throw new Error('its saved content is damaged');
  return content;
}

/** Returns how many bytes may still be stored for commands. Lists the folder again only after it has changed. */
export function countBytesLeft(files: SyncFiles, { files: folder, keptFile }: SessionLayout): () => number {
  const sizes = new Map<string, number>();
  let seen: number | undefined;
  let left: number = BACKUP_LIMITS.sessionBytes;
  return () => {
    try {
      const found = files.lstat(folder);
      if (found?.kind !== 'folder' || found.mtimeMs === seen) return left;
      for (const { name } of files.list(folder, MOST_LISTED)) {
        if (sizes.has(name) || !/^[0-9a-f]{64}$/.test(name)) continue;
        const size = files.lstat(keptFile(name))?.size ?? 0;
        sizes.set(name, size);
        left -= size;
      }
      seen = found.mtimeMs;
      return left;
    } catch {
      // Then nothing can be stored either, which has its own reason.
      return left;
    }
  };
}

const MOST_LISTED = 1_000_000;
