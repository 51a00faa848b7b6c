/**
 * Merges an agent's work into the state of a checkout, using trees only: no file, index or ref is touched. The base is
 * the start of the worktree.
 */

import type { Checkout } from '../../git/checkout.js';
import type { Git } from '../../git/git.js';
import { OWN_IDENTITY } from '../../git/own-identity.js';
import { splitNul } from '../../git/snapshot.js';

export type Conflict = {
  readonly path: string;
  /** The reason, in git's words. */
  readonly why: string;
  /** The conflicting parts, with both versions; none for binary files and the like. */
  readonly hunks: readonly string[];
};

export type Merged =
  | { readonly kind: 'clean'; readonly tree: string }
  | { readonly kind: 'conflicts'; readonly conflicts: readonly Conflict[] }
  | { readonly kind: 'failed'; readonly reason: string };

export type MergeTrees = { readonly base: string; readonly ours: string; readonly theirs: string };

export async function mergeWork(checkout: Checkout, trees: MergeTrees, name: string): Promise<Merged> {
  const { git } = checkout;
  const base = await commitTree(git, trees.base, [], 'base');
  const ours = await commitTree(git, trees.ours, [base], 'this checkout');
  const theirs = await commitTree(git, trees.theirs, [base], `worktree ${name}`);
  const off = checkout.trusted ? [] : await driversOff(git);
  const args = [...off, 'merge-tree', '--write-tree', '-z', ours, theirs];
  const merged = await git(args, { env: { [OFF_VARIABLE]: 'false' } });
  const [tree, ...rest] = splitNul(merged.stdout);
  if (merged.code === USAGE) return { kind: 'failed', reason: 'git 2.38 or newer is needed to bring work back' };
  if ((merged.code !== 0 && merged.code !== 1) || tree === undefined) return { kind: 'failed', reason: merged.reason };
  if (merged.code === 0) return { kind: 'clean', tree: tree.toString('utf8') };
  const rename = (text: string) => text.replaceAll(ours, 'this checkout').replaceAll(theirs, `worktree ${name}`);
  return { kind: 'conflicts', conflicts: await describeConflicts(git, tree.toString('utf8'), rest, rename) };
}

const USAGE = 129;
const OFF_VARIABLE = 'COPPICE_MERGE_DRIVER';

/** A merge driver of the repository runs only if it is trusted; otherwise its files conflict. */
async function driversOff(git: Git): Promise<readonly string[]> {
  const { text } = await git(['config', '--null', '--name-only', '--get-regexp', String.raw`^merge\..*\.driver$`]);
  const names = new Set(text.split('\0').filter((key) => key !== ''));
  return [...names].map((key) => `--config-env=${key}=${OFF_VARIABLE}`);
}

/** Throws git's error. */
export async function commitTree(git: Git, tree: string, parents: readonly string[], message: string): Promise<string> {
  const made = await git(['commit-tree', tree, ...parents.flatMap((one) => ['-p', one]), '-m', message], {
    env: OWN_IDENTITY,
  });
  if (!made.ok) throw new Error(made.reason);
  return made.text;
}

/** Parses `<mode> <object> <stage>\t<path>` entries, an empty one, then messages: count, paths, kind, text. */
async function describeConflicts(
  git: Git,
  tree: string,
  rest: readonly Buffer[],
  rename: (text: string) => string,
): Promise<readonly Conflict[]> {
  const parts = rest.map((part) => part.toString('utf8'));
  const end = parts.indexOf('');
  const unmerged = parts.slice(0, end < 0 ? parts.length : end).map((line) => line.slice(line.indexOf('\t') + 1));
  const why = new Map<string, string>();
  for (let at = end + 1; end >= 0 && at < parts.length; ) {
    const count = Number(parts[at]);
    const paths = parts.slice(at + 1, at + 1 + count);
    const [kind = '', message = ''] = parts.slice(at + 1 + count);
    at += count + 3;
    if (!kind.startsWith('CONFLICT')) continue;
    const reason = rename(message.trim()).replace(/\s+Version [\s\S]* left in tree\.$/, '');
    for (const path of paths) if (!why.has(path)) why.set(path, reason);
  }
  const conflicts: Conflict[] = [];
  for (const path of new Set([...unmerged, ...why.keys()])) {
    const hunks = conflicts.length < MOST_SHOWN ? await hunksOf(git, tree, path, rename) : [];
    conflicts.push({ path, why: why.get(path) ?? 'CONFLICT', hunks });
  }
  return conflicts;
}

/** The number of files that are shown with their conflicting parts. */
const MOST_SHOWN = 10;
const MOST_HUNKS = 3;
const MOST_LINES = 24;
const MOST_WIDTH = 200;

async function hunksOf(git: Git, tree: string, path: string, rename: (text: string) => string) {
  const blob = await git(['cat-file', 'blob', `${tree}:${path}`]);
  if (!blob.ok || blob.stdout.includes(0)) return [];
  const found = [...rename(blob.text).matchAll(/^<{7} [\s\S]*?^>{7} .*$/gm)].map(([hunk]) => hunk.split(/\r?\n/));
  return found.slice(0, MOST_HUNKS).map((lines) => {
    const short = lines.length <= MOST_LINES ? lines : [...lines.slice(0, MOST_LINES), '…'];
    return short.map((line) => (line.length > MOST_WIDTH ? `${line.slice(0, MOST_WIDTH)}…` : line)).join('\n');
  });
}
