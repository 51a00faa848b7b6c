/** Lists the files of a checkout that a merge would change, and checks what prevents it. Writes nothing. */

import { dirname, join } from 'node:path';
import { fail, type Result } from '../../../protocol/result.js';
import type { FileStat } from '../../files.js';
import type { Checkout } from '../../git/checkout.js';
import { splitNul } from '../../git/snapshot.js';
import type { Host } from '../../host.js';

export type Change = {
  /** Below the top of the checkout. */
  readonly path: string;
  readonly how: 'added' | 'changed' | 'deleted';
};

export type Plan = Result<{ readonly changes: readonly Change[] }>;

const GITLINK = '160000';

export async function planChanges({ git }: Checkout, from: string, to: string): Promise<Plan> {
  const diff = await git(['diff-tree', '-r', '-z', '--no-renames', '--raw', from, to]);
  if (!diff.ok) return fail(diff.reason);
  const parts = splitNul(diff.stdout);
  const changes: Change[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [was, now] = parts[at]?.toString('latin1').slice(1).split(' ') ?? [];
    const path = decodePath(parts[at + 1]);
    if (path === undefined) {
      return fail(`the name of ${JSON.stringify(String(parts[at + 1]))} is not UTF-8: bring it over with git itself`);
    }
    if (was === GITLINK || now === GITLINK) {
      return fail(`it changes the submodule ${path}: merge the branch with git itself, then git submodule update`);
    }
    changes.push({ path, how: was === NONE ? 'added' : now === NONE ? 'deleted' : 'changed' });
  }
  return { ok: true, changes };
}

const NONE = '000000';

function decodePath(bytes: Buffer | undefined): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** The state of each path when it was compared with the tree. */
export type Seen = ReadonlyMap<string, FileStat | undefined>;

export type InspectedTarget = Result<{ readonly seen: Seen }>;

/**
 * Checks that no untracked content is in the way (ignored files, other repositories), and that every file matches the
 * snapshot's `index`, so that changes made since are not overwritten.
 */
export async function inspectTarget(
  host: Host,
  checkout: Checkout,
  index: string,
  changes: readonly Change[],
): Promise<InspectedTarget> {
  const { git, top } = checkout;
  const env = { GIT_INDEX_FILE: index };
  const tagged = await git(['ls-files', '-v', '-z'], { env });
  if (!tagged.ok) return fail(tagged.reason);
  const hidden = reasonHidden(tagged.text, new Set(changes.map(({ path }) => path)));
  if (hidden !== undefined) return fail(hidden);
  const vacated = new Set(changes.flatMap(({ path, how }) => (how === 'deleted' ? [path] : [])));
  const seen = new Map<string, FileStat | undefined>();
  for (const change of changes) {
    const blocked = await reasonBlocked(host, top, change, vacated);
    if (blocked !== undefined) return fail(blocked);
    seen.set(change.path, await host.files.lstat(join(top, change.path)));
  }
  // Compared after their state was read, so that any later change is detected by that state.
  const differ = await git(['diff-files', '-z', '--name-only'], { env });
  if (!differ.ok) return fail(differ.reason);
  const changed = differ.text.split('\0').find((path) => seen.has(path));
  return changed === undefined ? { ok: true, seen } : fail(changedMeanwhile(changed));
}

export function changedMeanwhile(path: string): string {
  return `${path} was changed while the work was being merged: try again`;
}

/** `git ls-files -v`: `S` is outside a sparse checkout (or marked so by hand), a lower-case letter is assumed unchanged. */
function reasonHidden(tagged: string, changed: ReadonlySet<string>): string | undefined {
  for (const entry of tagged.split('\0')) {
    const [tag = '', path = ''] = [entry.slice(0, 1), entry.slice(2)];
    if (!changed.has(path)) continue;
    if (tag.toUpperCase() === 'S') return outsideSparse(path);
    if (tag !== tag.toUpperCase()) {
      return `${path} is marked assume-unchanged: git ignores changes to it (git update-index --no-assume-unchanged ${path})`;
    }
  }
  return undefined;
}

export function outsideSparse(path: string): string {
  return `${path} is outside this sparse checkout: add it first (git sparse-checkout add ${dirname(path)})`;
}

async function reasonBlocked(
  { files }: Host,
  top: string,
  { path, how }: Change,
  vacated: ReadonlySet<string>,
): Promise<string | undefined> {
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
    const at = await files.lstat(join(top, folder));
    if (at !== undefined && at.kind !== 'folder' && !vacated.has(folder)) return inTheWay(path, folder);
    if (at?.kind === 'folder' && (await files.lstat(join(top, folder, '.git'))) !== undefined) {
      return `${path} would be in ${folder}, which is a separate repository`;
    }
  }
  const at = await files.lstat(join(top, path));
  if (how === 'added' && at?.kind === 'folder') {
    const remaining = await firstRemaining(files, top, path, vacated);
    return remaining === undefined ? undefined : inTheWay(path, remaining);
  }
  if (how === 'added' && at !== undefined) return inTheWay(path, path);
  return undefined;
}

/** Returns a path that would remain of a folder that a file replaces. */
async function firstRemaining(
  files: Host['files'],
  top: string,
  folder: string,
  vacated: ReadonlySet<string>,
): Promise<string | undefined> {
  for (const { name, kind } of await files.list(join(top, folder))) {
    const path = `${folder}/${name}`;
    if (kind !== 'folder' && !vacated.has(path)) return path;
    const inner = kind === 'folder' ? await firstRemaining(files, top, path, vacated) : undefined;
    if (inner !== undefined) return inner;
  }
  return undefined;
}

function inTheWay(path: string, what: string): string {
  const which = path === what ? `${path} is new there` : `${path} is new there, and ${what} is in the way`;
  return `${which}, but it already exists here as an ignored file, which is in no commit: move it away first`;
}

/** True if both are the same, unchanged file. A rename does not matter. */
export function isSame(a: FileStat | undefined, b: FileStat | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return (
    a.identity === b.identity && a.kind === b.kind && a.size === b.size && a.mtimeMs === b.mtimeMs && a.mode === b.mode
  );
}
