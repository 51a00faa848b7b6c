/**
 * Whether a git command would do something else without a repository's own programs (GT-26): a hook that decides about a
 * commit, or a filter between a file and what git stores. All others do the same with the programs off.
 */

import { join } from 'node:path';
import type { SyncFiles } from '../../../host/files.js';
import { findConfigured } from './git-config.js';
import type { RepositoryReading } from './repository.js';

const COMMIT_HOOKS = ['pre-commit', 'prepare-commit-msg', 'commit-msg', 'post-commit', 'post-rewrite'];
const CHECKOUT_HOOKS = ['post-checkout'];
const MERGE_HOOKS = ['pre-merge-commit', 'post-merge', ...COMMIT_HOOKS];

/** Hooks that a subcommand runs. */
const HOOKS: Readonly<Record<string, readonly string[]>> = {
  commit: COMMIT_HOOKS,
  'cherry-pick': COMMIT_HOOKS,
  revert: COMMIT_HOOKS,
  merge: MERGE_HOOKS,
  pull: [...MERGE_HOOKS, 'pre-rebase', ...CHECKOUT_HOOKS],
  rebase: ['pre-rebase', ...COMMIT_HOOKS, ...CHECKOUT_HOOKS],
  am: ['applypatch-msg', 'pre-applypatch', 'post-applypatch'],
  push: ['pre-push'],
  checkout: CHECKOUT_HOOKS,
  switch: CHECKOUT_HOOKS,
  worktree: CHECKOUT_HOOKS,
  // It does not read the setting that turns hooks off.
  bisect: ['reference-transaction', ...CHECKOUT_HOOKS],
};

/** They store files or write them. */
const FILTERS = new Set(
  `add commit stash checkout checkout-index switch restore reset merge pull rebase cherry-pick revert am apply rm mv
  read-tree update-index hash-object worktree sparse-checkout archive`.split(/\s+/),
);

/** With the programs of the repository off, git reaches nobody. */
const TRANSPORTS = new Set(['fetch', 'pull', 'push', 'clone', 'ls-remote', 'submodule', 'remote']);

/** Says what is needed, to follow the repository's name; undefined: nothing. What can't be read counts as needed. */
export function findNeededProgram(
  { candidates }: RepositoryReading,
  subcommand: string,
  files: SyncFiles,
): string | undefined {
  if (TRANSPORTS.has(subcommand)) return 'its settings decide how git reaches another machine';
  for (const folder of candidates.flatMap(({ gitFolders }) => gitFolders)) {
    try {
      const found = findHook(folder, subcommand, files) ?? findFilter(folder, subcommand, files);
      if (found !== undefined) return found;
    } catch {
      return 'a part of it could not be read';
    }
  }
  return undefined;
}

function findHook(folder: string, subcommand: string, files: SyncFiles): string | undefined {
  const names = HOOKS[subcommand];
  if (names === undefined) return undefined;
  const [elsewhere] = findConfigured(folder, /^core\.hookspath$/, files);
  if (elsewhere !== undefined) return 'its configuration names a folder of hooks';
  const hook = names.find((name) => {
    const real = files.realpath(join(folder, 'hooks', name));
    return real !== undefined && ((files.lstat(real)?.mode ?? 0) & 0o111) !== 0;
  });
  return hook === undefined ? undefined : `it has the hook ${hook}`;
}

const FILTER_KEYS = /^(?:filter\..*\.(?:clean|smudge|process)|include(?:if\..*)?\.path)$/s;

/** A filter of the person's own configuration, as of git-lfs, is no program of the repository. */
function findFilter(folder: string, subcommand: string, files: SyncFiles): string | undefined {
  if (!FILTERS.has(subcommand)) return undefined;
  const [key] = findConfigured(folder, FILTER_KEYS, files);
  return key === undefined ? undefined : `its configuration sets ${key}`;
}
