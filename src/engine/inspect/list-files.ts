/**
 * The files of the session's folder, for completion: what git knows and does not ignore, or else what ripgrep finds. Kept
 * between two questions; a look that is not quite new is answered with while it is renewed.
 */

import { openGit } from '../../host/git/git.js';
import type { Host } from '../../host/host.js';
import type { CommandOf } from '../../protocol/commands.js';
import { searchWithRipgrep } from '../../tools/search/ripgrep.js';
import type { ListedFiles } from '../commands/command-results.js';
import type { Engine } from '../engine.js';

/** More are hardly looked through by name. */
const MOST_FILES = 200_000;
/** How long a look counts as new. */
const NEW_MS = 2_000;

type Kept = { found?: { readonly list: ListedFiles; readonly at: number }; looking?: Promise<ListedFiles> };

/** By session. */
const known = new WeakMap<Engine, Kept>();

export async function listFiles(engine: Engine, { fresh }: CommandOf<'list-files'>): Promise<ListedFiles> {
  const kept = known.get(engine) ?? {};
  known.set(engine, kept);
  const { found } = kept;
  const isNew = found !== undefined && engine.runtime.host.clock.elapsed() - found.at < NEW_MS;
  if (isNew && fresh !== true) return found.list;
  // One under way may have passed by what is new.
  if (fresh === true) await kept.looking;
  kept.looking ??= look(engine, kept);
  return found === undefined || fresh === true ? kept.looking : found.list;
}

/** It ends with the session. Never rejects. */
async function look(engine: Engine, kept: Kept): Promise<ListedFiles> {
  const { host, trusted } = engine.runtime;
  const search = (signal: AbortSignal) => findFiles(host, { trusted, signal });
  try {
    const list = await engine.calls.run(`list-files ${host.newId()}`, search, { concurrent: true });
    if (list?.ok) kept.found = { list, at: host.clock.elapsed() };
    return list ?? { ok: false, reason: 'the files are being looked for already' };
  } finally {
    delete kept.looking;
  }
}

type Search = { readonly trusted: boolean; readonly signal: AbortSignal };

async function findFiles(host: Host, { trusted, signal }: Search): Promise<ListedFiles> {
  const git = await openGit(host, host.folder, { trusted });
  const listed = await git(['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate'], {
    signal,
  });
  if (listed.ok) return bounded(listed.stdout.toString('utf8').split('\0'));
  if (signal.aborted) return { ok: false, reason: 'it was interrupted' };
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
  if (end.ended === 'aborted') return { ok: false, reason: 'it was interrupted' };
  return { ...bounded(files), ...(end.ended === 'timeout' ? { isCut: true } : {}) };
}

/** A name that is no UTF-8 can't be typed. */
function bounded(paths: readonly string[]): Extract<ListedFiles, { ok: true }> {
  const files = paths.filter((path) => path !== '' && !path.includes('\uFFFD'));
  return { ok: true, files: files.slice(0, MOST_FILES), isCut: files.length > MOST_FILES };
}
