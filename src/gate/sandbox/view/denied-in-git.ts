/**
 * Whether git's objects hold a file that a deny rule is about: it is tracked, or was once. A mask covers the file only,
 * and git would still print it. Of objects that nothing leads to, nobody knows the path: the gate asks about lines that
 * name one.
 */

import { join } from 'node:path';
import type { SyncFiles } from '../../../host/files.js';
import { safeGitEnvironment } from '../../../host/git/git-environment.js';
import type { Host } from '../../../host/host.js';
import type { ProcessCommand } from '../../../host/processes.js';
import { processEnvironment } from '../../../host/programs/process-environment.js';
import { alternatesOf, commonFolderOf, findWorkTree, gitFolderOf } from './find-git-folders.js';
import { fingerprintOf } from './git-fingerprint.js';
import type { DeniedMatcher } from './match-denied.js';

export type DeniedInGit = {
  /** `folders` are inside repositories. */
  find(folders: readonly string[], matcher: DeniedMatcher): Promise<FoundInGit>;
};

export type FoundInGit = {
  /** True also if it can't be known in time. */
  readonly found: boolean;
  /** Real paths of the folders that hold the content of the repositories it was found in. */
  readonly stores: readonly string[];
};

const LONGEST_MS = 2_000;
const MOST_BYTES = 32 * 1024 * 1024;
const MOST_MEMORY_KB = 2 * 1024 * 1024;
const MOST_REPOSITORIES = 10;
/** Besides objects: large files, conflicts and patches that git keeps. */
const STORES = ['objects', 'lfs', 'annex', 'rr-cache', 'rebase-apply', 'rebase-merge'];

/** `git` is the program; undefined if there is none that may be run. */
export function createDeniedInGit(host: Host, git: string | undefined): DeniedInGit {
  const kept = new Map<string, { readonly fingerprint: string; readonly found: boolean }>();
  const findIn = async (repository: Repository, matcher: DeniedMatcher): Promise<boolean> => {
    try {
      const fingerprint = fingerprintOf(repository.git, host.files.sync);
      const key = `${matcher.key}\0${repository.top}`;
      const known = kept.get(key);
      if (known?.fingerprint === fingerprint) return known.found;
      const found = git === undefined || (await lookThrough(host, git, repository, matcher));
      kept.set(key, { fingerprint, found });
      return found;
    } catch {
      return true;
    }
  };
  return {
    find: async (folders, matcher) => {
      const { repositories, isComplete } = findRepositories(folders, host.files.sync);
      const isTooMany = repositories.length > MOST_REPOSITORIES;
      const stores: string[] = [];
      let found = !isComplete || isTooMany;
      for (const repository of repositories) {
        if (!isTooMany && !(await findIn(repository, matcher))) continue;
        found = true;
        stores.push(...storesOf(repository, host.files.sync));
      }
      return { found, stores: [...new Set(stores)] };
    },
  };
}

/** `top` is where its paths begin. */
type Repository = { readonly git: string; readonly top: string };

/** Each once, if possible by its work tree. */
function findRepositories(folders: readonly string[], files: SyncFiles) {
  const byGit = new Map<string, Repository>();
  let isComplete = true;
  for (const folder of folders) {
    try {
      const top = findWorkTree(folder, files);
      if (top === undefined) continue;
      const git = gitFolderOf(top, files);
      if (git === undefined) isComplete = false;
      else if (!byGit.has(git) || git !== top) byGit.set(git, { git, top });
    } catch {
      isComplete = false;
    }
  }
  return { repositories: [...byGit.values()], isComplete };
}

function storesOf({ git }: Repository, files: SyncFiles): readonly string[] {
  const common = attempt(() => commonFolderOf(git, files)) ?? git;
  const named = [git, common].flatMap((folder) => STORES.map((name) => join(folder, name)));
  const borrowed = attempt(() => alternatesOf(common, files)) ?? [];
  return [...named, ...borrowed].flatMap((path) => attempt(() => files.realpath(path)) ?? []);
}

function attempt<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

/** A path with this in it is cut off where git lists objects. */
const LINE_BREAK = '*\n*';

/**
 * Each object is listed once, with the first path it has. A denied path whose content stands under another path as well
 * may be missed; but then its content is no secret of that path.
 */
async function lookThrough(host: Host, file: string, { git, top }: Repository, matcher: DeniedMatcher) {
  const ask = async (...args: readonly string[]) => {
    const command = limited(file, ['--git-dir', git, '--work-tree', top, ...args]);
    const env = safeGitEnvironment(processEnvironment(host, 'own'));
    const run = await host.processes.run({ ...command, cwd: top, env, timeoutMs: LONGEST_MS, maxBytes: MOST_BYTES });
    const isWhole = run.code === 0 && !run.timedOut && run.stdoutBytes === run.stdout.length;
    return isWhole ? run.stdout.toString('utf8').split('\n').slice(0, -1) : undefined;
  };
  const reachable = ['--all', '--reflog'];
  const [listed, ...broken] = await Promise.all([
    ask('rev-list', '--objects', ...reachable, '--indexed-objects'),
    ask('rev-list', '-1', '--full-history', ...reachable, '--', LINE_BREAK),
    ask('ls-files', '--', LINE_BREAK),
  ]);
  if (listed === undefined || broken.some((lines) => lines?.length !== 0)) return true;
  return listed.some((line) => {
    const space = line.indexOf(' ');
    if (space < 0 || space === line.length - 1) return false;
    const path = join(top, line.slice(space + 1));
    return matcher.covers(path, false) || matcher.covers(path, true);
  });
}

/** A repository may be made to fill the memory of a git that looks at it. */
function limited(file: string, args: readonly string[]): Pick<ProcessCommand, 'file' | 'args'> {
  const script = `ulimit -v ${MOST_MEMORY_KB} 2>/dev/null; exec "$@"`;
  return { file: '/bin/sh', args: ['-c', script, 'sh', file, ...args] };
}
