/** A cheap check whether files were added to or removed from definition folders. It does not notice changes within a file. */

import type { DefinitionsQuery } from './load-definitions.js';
import { rankSources } from './load-definitions.js';

/** Returns a function that resolves with true if that happened since this call. */
export function movedFolders(query: DefinitionsQuery): () => Promise<boolean> {
  const before = stampFolders(query);
  return async () => (await stampFolders(query)) !== (await before);
}

async function stampFolders(query: DefinitionsQuery): Promise<string> {
  const folders = (await rankSources(query)).flatMap((source) => (source.kind === 'folder' ? [source.folder] : []));
  const stats = await Promise.all(folders.map((folder) => query.host.files.stat(folder).catch(() => undefined)));
  return JSON.stringify(stats.map((stat) => stat && [stat.identity, stat.mtimeMs, stat.ctimeMs]));
}
