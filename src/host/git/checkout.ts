/** Finds the checkout a folder belongs to: its top, its git folder, and the one all its worktrees share. */

import { relative } from 'node:path';
import { fail, type Result } from '../../protocol/result.js';
import type { Host } from '../host.js';
import { type Git, type GitTrust, openGit } from './git.js';
import { checkGitVersion } from './git-version.js';

/** A work tree of a repository. All paths are real. */
export type Checkout = {
  readonly git: Git;
  readonly top: string;
  /** The given folder, relative to the top; empty: the top itself. */
  readonly prefix: string;
  /** Its own git folder: for a linked worktree, its record in the shared one. */
  readonly gitDir: string;
  /** Shared by all worktrees: objects, branches, configuration. */
  readonly commonDir: string;
  readonly trusted: boolean;
};

/** `reason`, for people: what is wrong with the folder, and how to fix it. */
export type FoundCheckout = Result<{ readonly checkout: Checkout }>;

export async function findCheckout(host: Host, folder: string, trust: GitTrust): Promise<FoundCheckout> {
  const git = await openGit(host, folder, trust);
  const found = await git(['rev-parse', '--is-bare-repository', '--is-inside-work-tree', '--absolute-git-dir']);
  if (!found.ok) return fail(explain(folder, found.reason));
  const [isBare, isInside, ...gitDir] = found.text.split('\n');
  if (isBare === 'true') return fail(BARE(folder));
  if (isInside !== 'true') return fail(`${folder} is not in the files of a checkout`);
  const places = await git(['rev-parse', '--path-format=absolute', '--show-toplevel', '--git-common-dir']);
  if (!places.ok) return fail(explain(folder, places.reason));
  const paths = [...places.text.split('\n'), ...gitDir];
  if (paths.length !== 3) {
    const reason =
      (await checkGitVersion(git)) ?? 'its path, or that of its git folder, has a line break: move it elsewhere';
    return fail(`${folder}: ${reason}`);
  }
  const real = await Promise.all([...paths, folder].map((path) => host.files.realpath(path).catch(() => undefined)));
  const [top, commonDir, ownDir, realFolder] = real;
  if (top === undefined || commonDir === undefined || ownDir === undefined || realFolder === undefined) {
    return fail(`${folder}: git names folders that are not there (${paths.join(', ')})`);
  }
  const prefix = relative(top, realFolder);
  const own = await openGit(host, top, trust);
  return { ok: true, checkout: { git: own, top, prefix, gitDir: ownDir, commonDir, trusted: trust.trusted } };
}

const BARE = (folder: string) => `${folder} is a bare repository, or a folder of git's own: work in a checkout of it`;

function explain(folder: string, reason: string): string {
  if (/not a git repository/.test(reason)) return `${folder} is not in a git repository (git init makes one)`;
  return /cannot use bare repository/.test(reason) ? BARE(folder) : `${folder}: ${reason}`;
}
