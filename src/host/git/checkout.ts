/** Finds the checkout a folder belongs to: its top, its git folder, and the one all its worktrees share. */

import { relative } from 'node:path';
import type { Host } from '../host.js';
import { type Git, type GitTrust, openGit } from './git.js';

/** A work tree of a repository. All paths are real. */
export type Checkout = {
  readonly git: Git;
  readonly top: string;
  /** The folder asked about, below the top; empty: the top itself. */
  readonly prefix: string;
  /** Its own git folder: for a linked worktree, its record in the shared one. */
  readonly gitDir: string;
  /** Shared by all worktrees: objects, branches, configuration. */
  readonly commonDir: string;
  readonly trusted: boolean;
};

export type FoundCheckout =
  | { readonly ok: true; readonly checkout: Checkout }
  /** For people: what is wrong with the folder, and what to do. */
  | { readonly ok: false; readonly reason: string };

export async function findCheckout(host: Host, folder: string, trust: GitTrust): Promise<FoundCheckout> {
  const git = await openGit(host, folder, trust);
  const found = await git(['rev-parse', '--is-bare-repository', '--is-inside-work-tree', '--absolute-git-dir']);
  if (!found.ok) {
    const isNone = /not a git repository/.test(found.reason);
    return refuse(isNone ? `${folder} is not in a git repository (git init makes one)` : `${folder}: ${found.reason}`);
  }
  const [isBare, isInside, gitDir = ''] = found.text.split('\n');
  if (isBare === 'true') return refuse(`${folder} is a bare repository: work in a checkout of it`);
  if (isInside !== 'true') return refuse(`${folder} is not in the files of a checkout`);
  const places = await git(['rev-parse', '--path-format=absolute', '--show-toplevel', '--git-common-dir']);
  const [shown, common] = places.text.split('\n');
  if (!places.ok || shown === undefined || common === undefined) return refuse(`${folder}: ${places.reason}`);
  const { files } = host;
  const [top, realFolder, realGit, realCommon] = await Promise.all(
    [shown, folder, gitDir, common].map((path) => files.realpath(path)),
  );
  if (top === undefined || realFolder === undefined || realGit === undefined || realCommon === undefined) {
    return refuse(`${folder}: git names folders that are not there`);
  }
  const prefix = relative(top, realFolder);
  const own = await openGit(host, top, trust);
  return { ok: true, checkout: { git: own, top, prefix, gitDir: realGit, commonDir: realCommon, ...trust } };
}

function refuse(reason: string): FoundCheckout {
  return { ok: false, reason };
}
