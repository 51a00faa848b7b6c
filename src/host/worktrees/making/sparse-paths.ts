/** A worktree with only some of the paths (WT-3), by git's sparse checkout. */

import { isAbsolute, join } from 'node:path';
import type { Result } from '../../../protocol/result.js';
import type { Checkout } from '../../git/checkout.js';
import type { Git } from '../../git/git.js';
import type { Host } from '../../host.js';

export type SparsePlan = {
  readonly paths: readonly string[];
  /** Folders with everything in them and the files on the way; or patterns as in `.gitignore`. */
  readonly mode: '--cone' | '--no-cone';
  readonly lines: readonly string[];
};

export type PlannedSparse = Result<{ readonly plan?: SparsePlan; readonly notes: readonly string[] }>;

/** Changes nothing. Without paths, there is no plan. */
export async function planSparse({ git }: Checkout, start: string, wanted: readonly string[]): Promise<PlannedSparse> {
  if (wanted.length === 0) return { ok: true, notes: [] };
  const paths = [...new Set(wanted.map((path) => path.replace(/^(?:\.\/+)+/, '').replace(/\/+$/, '')))];
  const wrong = paths.find((path) => !isInside(path));
  if (wrong !== undefined) {
    return refuse(`${JSON.stringify(wrong)} can't be checked out: give paths inside the repository, without ".."`);
  }
  const listed = await git(['ls-tree', '-z', '-t', start, '--', ...paths]);
  if (!listed.ok) return refuse(listed.reason);
  const kinds = new Map(listed.text.split('\0').map((line) => [line.split('\t')[1] ?? '', line.split(' ')[1]]));
  const missing = paths.filter((path) => !kinds.has(path));
  const patterns = missing.filter((path) => /[*?[\]!\\]/.test(path));
  if (missing.length === paths.length && patterns.length === 0) {
    return refuse(`none of these paths is in the repository: ${missing.join(', ')}`);
  }
  const notes = missing
    .filter((path) => !patterns.includes(path))
    .map((path) => `worktree.sparsePaths: ${path} is not in the repository`);
  const areFolders = patterns.length === 0 && paths.every((path) => kinds.get(path) !== 'blob');
  const lines = areFolders ? paths : paths.map((path) => (patterns.includes(path) ? path : `/${escapePattern(path)}`));
  return { ok: true, plan: { paths, mode: areFolders ? '--cone' : '--no-cone', lines }, notes };
}

/** Git turns on per-worktree settings for this, so it runs under the repository's lock. */
export async function setSparse(git: Git, { mode, lines }: SparsePlan): Promise<void> {
  const set = await git(['sparse-checkout', 'set', mode, '--stdin'], { input: `${lines.join('\n')}\n` });
  if (!set.ok) throw new Error(`the sparse checkout could not be set up: ${set.reason}`);
}

/** A worktree of a sparse checkout inherits its paths. Undefined: everything is checked out. */
export async function inheritedSparse(host: Host, git: Git, gitDir: string): Promise<readonly string[] | undefined> {
  if ((await host.files.lstat(join(gitDir, 'info', 'sparse-checkout'))) === undefined) return undefined;
  const listed = await git(['sparse-checkout', 'list']);
  return listed.ok ? listed.text.split('\n').filter((line) => line !== '') : undefined;
}

/** Also rejects paths that git's line-based list can't contain. */
function isInside(path: string): boolean {
  const parts = path.replace(/^!/, '').split('/');
  return (
    path !== '' &&
    !isAbsolute(path) &&
    !/[\p{Cc}"]/u.test(path) &&
    !parts.some((part) => ['', '.', '..'].includes(part))
  );
}

function escapePattern(path: string): string {
  return path.replace(/[\\*?[\]]/g, '\\$&');
}

function refuse(reason: string): PlannedSparse {
  return { ok: false, reason: `worktree.sparsePaths: ${reason}` };
}
