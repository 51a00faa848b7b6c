/**
 * The files of the session's folder, for completion: those git knows and does not ignore, or else those ripgrep finds.
 * Cached; a stale list is returned while it is renewed.
 */

import { openGit } from '../../host/git/git.js';
import type { Host } from '../../host/host.js';
import type { CommandOf } from '../../protocol/commands.js';
import { searchWithRipgrep } from '../../tools/search/ripgrep.js';
import type { ListedFiles } from '../commands/command-results.js';
import type { Engine } from '../engine.js';

/** More can hardly be searched by name. */
const MOST_FILES = 200_000;
/** How long a list is fresh. */
const NEW_MS = 2_000;

type Cache = { found?: { readonly list: ListedFiles; readonly at: number }; searching?: Promise<ListedFiles> };

/** By session. */
const known = new WeakMap<Engine, Cache>();

export async function listFiles(engine: Engine, { fresh }: CommandOf<'list-files'>): Promise<ListedFiles> {
  const cache = known.get(engine) ?? {};
  known.set(engine, cache);
  const { found } = cache;
  const isNew = found !== undefined && engine.runtime.host.clock.elapsed() - found.at < NEW_MS;
  if (isNew && fresh !== true) return found.list;
  // A running search may have missed new files.
  if (fresh === true) await cache.searching;
  cache.searching ??= search(engine, cache);
  return found === undefined || fresh === true ? cache.searching : found.list;
}

/** Ends with the session. Never rejects. */
async function search(engine: Engine, cache: Cache): Promise<ListedFiles> {
  const { host, trusted } = engine.runtime;
  const search = (signal: AbortSignal) => findFiles(host, { trusted, signal });
  try {
    const list = await engine.calls.run(`list-files ${host.newId()}`, search, { concurrent: true });
    if (list?.ok) cache.found = { list, at: host.clock.elapsed() };
    return list ?? { ok: false, reason: 'a file search is already running' };
  } finally {
    delete cache.searching;
  }
}

type Search = { readonly trusted: boolean; readonly signal: AbortSignal };

async function findFiles(host: Host, { trusted, signal }: Search): Promise<ListedFiles> {
  const git = await openGit(host, host.folder, { trusted });
  const listed = await git(['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate'], {
    signal,
  });
  if (listed.ok) return bounded(listed.stdout.toString('utf8').split('\0'));
  if (signal.aborted) return { ok: false, reason: 'interrupted' };
  const files: string[] = [];
  const end = await searchWithRipgrep(
    { host, signal },
    {
      args: ['--files', '--null'],
      cwd: host.folder,
      separator: '\0',
      take: (path) => files.push(path) <= MOST_FILES,
    },
  );
  if (end.ended === 'failed' && files.length === 0) return { ok: false, reason: end.reason };
  if (end.ended === 'aborted') return { ok: false, reason: 'interrupted' };
  return { ...bounded(files), ...(end.ended === 'timeout' ? { isCut: true } : {}) };
}

/** A name that is not UTF-8 can't be typed. */
function bounded(paths: readonly string[]): Extract<ListedFiles, { ok: true }> {
  const files = paths.filter((path) => path !== '' && !path.includes('\uFFFD'));
  return { ok: true, files: files.slice(0, MOST_FILES), isCut: files.length > MOST_FILES };
}
