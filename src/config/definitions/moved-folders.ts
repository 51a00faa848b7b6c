/** A short look at folders of definitions: whether names came or went in them. What changed within a file it does not see. */

import type { DefinitionsQuery } from './load-definitions.js';
import { rankSources } from './load-definitions.js';

/** Returns a function that tells whether they have since this was called. */
export function movedFolders(question: DefinitionsQuery): () => Promise<boolean> {
  const before = look(question);
  return async () => (await look(question)) !== (await before);
}

async function look(question: DefinitionsQuery): Promise<string> {
  const folders = (await rankSources(question)).flatMap((source) => (source.kind === 'folder' ? [source.folder] : []));
  const stats = await Promise.all(folders.map((folder) => question.host.files.stat(folder).catch(() => undefined)));
  return JSON.stringify(stats.map((stat) => stat && [stat.identity, stat.mtimeMs, stat.ctimeMs]));
}
