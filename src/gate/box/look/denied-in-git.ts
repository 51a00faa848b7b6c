/**
 * Whether git's objects hold a file that a deny rule is about: it is tracked, or was once. A mask covers the file only,
 * and git would still print it.
 */

import { join } from 'node:path';
import type { SyncFiles } from '../../../host/files.js';
import type { Host } from '../../../host/host.js';
import { readingGitEnvironment } from '../git-environment.js';
import { commonFolderOf, findWorkTree, gitFolderOf } from './find-git-folders.js';
import type { DeniedMatcher } from './match-denied.js';

export type DeniedInGit = {
  /** True also if it can't be known in time. `folders` are inside repositories. */
  find(folders: readonly string[], matcher: DeniedMatcher): Promise<boolean>;
};

const LONGEST_MS = 2_000;
const MOST_BYTES = 32 * 1024 * 1024;
const MOST_REPOSITORIES = 10;
const MOST_FOLDERS = 500;

/** `git` is the program; undefined if there is none that may be run. */
export function createDeniedInGit(host: Host, git: () => Promise<string | undefined>): DeniedInGit {
  const kept = new Map<string, { readonly fingerprint: string; readonly found: boolean }>();
  const findIn = async (repository: Repository, matcher: DeniedMatcher): Promise<boolean> => {
    const fingerprint = fingerprintOf(repository, host.files.sync);
    const key = `${matcher.key}\0${repository.top}`;
    const known = kept.get(key);
    if (known?.fingerprint === fingerprint) return known.found;
    const file = await git();
    const found = file === undefined || (await lookThrough(host, file, repository, matcher));
    kept.set(key, { fingerprint, found });
    return found;
  };
  return {
    find: async (folders, matcher) => {
      try {
        const repositories = findRepositories(folders, host.files.sync);
        if (repositories.length > MOST_REPOSITORIES) return true;
        for (const repository of repositories) if (await findIn(repository, matcher)) return true;
        return false;
      } catch {
        return true;
      }
    },
  };
}

/** `top` is where its paths begin. */
type Repository = { readonly git: string; readonly top: string };

/** Each once, if possible by its work tree. */
function findRepositories(folders: readonly string[], files: SyncFiles): readonly Repository[] {
  const byGit = new Map<string, Repository>();
  for (const folder of folders) {
    const top = findWorkTree(folder, files);
    if (top === undefined) continue;
    const git = gitFolderOf(top, files);
    if (git === undefined) throw new Error(`the repository of ${top} is not there`);
    if (!byGit.has(git) || git !== top) byGit.set(git, { git, top });
  }
  return [...byGit.values()];
}

/**
 * Each object is listed once, with the first path it has. A denied path whose content stands under another path as well
 * may be missed; but then its content is no secret of that path.
 */
async function lookThrough(
  host: Host,
  file: string,
  { git, top }: Repository,
  matcher: DeniedMatcher,
): Promise<boolean> {
  const run = await host.processes.run({
    file,
    args: ['--git-dir', git, 'rev-list', '--objects', '--all', '--reflog', '--indexed-objects'],
    cwd: top,
    env: readingGitEnvironment(host.env),
    timeoutMs: LONGEST_MS,
    maxBytes: MOST_BYTES,
  });
  if (run.code !== 0 || run.timedOut || run.stdoutBytes > run.stdout.length) return true;
  for (const line of run.stdout.toString('utf8').split('\n')) {
    const space = line.indexOf(' ');
    if (space < 0 || space === line.length - 1) continue;
    const path = join(top, line.slice(space + 1));
    if (matcher.covers(path, false) || matcher.covers(path, true)) return true;
  }
  return false;
}

/** Changes whenever a ref, a reflog or the index does. */
function fingerprintOf({ git }: Repository, files: SyncFiles): string {
  const common = commonFolderOf(git, files);
  const single = [git, common].flatMap((folder) => SINGLE.map((name) => join(folder, name)));
  const folders = FOLDERS.flatMap((name) => foldersIn(join(common, name), files));
  return [...single, ...folders].map((path) => stateOf(path, files)).join('\n');
}

const SINGLE = ['HEAD', 'index', 'packed-refs', 'FETCH_HEAD', 'ORIG_HEAD', 'logs/HEAD'];
const FOLDERS = ['refs', 'worktrees', 'reftable'];

function foldersIn(start: string, files: SyncFiles): readonly string[] {
  const found: string[] = [];
  const pending = [start];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    if (files.lstat(folder)?.kind !== 'folder') continue;
    found.push(folder);
    if (found.length > MOST_FOLDERS) throw new Error('too many folders');
    for (const { name, kind } of files.list(folder, 10_000)) if (kind === 'folder') pending.push(join(folder, name));
  }
  return found;
}

function stateOf(path: string, files: SyncFiles): string {
  const stat = files.lstat(path);
  return stat === undefined ? '' : `${stat.identity} ${stat.ctimeMs} ${stat.size}`;
}
