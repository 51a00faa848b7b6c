/** Reads which files a record of a backup is about. */

import type { DurableEvent } from '../../protocol/events.js';
import { isIndex } from './git-index.js';

export const BACKUP_KINDS: ReadonlySet<string> = new Set(['file-kept', 'files-kept']);

/** Undefined for other events. Folders and git's index are no files that people count. */
export function backupIn(
  event: DurableEvent,
): { readonly agent: string; readonly paths: readonly string[] } | undefined {
  if (event.kind === 'file-kept') return { agent: event.agent, paths: [event.path] };
  if (event.kind !== 'files-kept') return undefined;
  const files = event.files.filter(({ path, as }) => as !== 'folder' && !isIndex(path));
  return { agent: event.agent, paths: files.map(({ path }) => path) };
}
