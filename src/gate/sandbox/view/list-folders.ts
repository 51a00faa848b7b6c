/**
 * Lists what must be covered or stay unchanged in the folders a command sees: files that rules are about, and pipes, which
 * a read-only mount lets anyone write to. A list is kept for each folder; every folder in it is looked at again before it is used.
 */

import { basename, dirname, join } from 'node:path';
import { type Entry, errorCode, type FileKind, type FileStat } from '../../../host/files.js';
import type { Host } from '../../../host/host.js';
import { serialQueue } from '../../../host/locks/serial-queue.js';
import type { Result } from '../../../protocol/result.js';
import { isWithin } from '../../permissions/paths/resolve-path.js';
import type { DeniedMatcher } from './match-denied.js';

export type Listing = {
  /** Real paths. */
  readonly denied: readonly Denied[];
  /** Files and folders that rules keep from being edited. */
  readonly unchanged: readonly string[];
  readonly pipes: readonly string[];
  /** Folders with a `.git` in them, or that look like a bare repository. */
  readonly repositories: readonly string[];
};

export type Denied = { readonly path: string; readonly isFolder: boolean };
export type Listed = Result<{ readonly listing: Listing }>;

export type FolderLister = {
  /** `shown` are all folders the command sees: where a link leads out of them, it leads nowhere. */
  list(folder: string, shown: readonly string[], matchers: Matchers): Promise<Listed>;
};

export type Matchers = {
  readonly denied: DeniedMatcher | undefined;
  readonly fixed: DeniedMatcher | undefined;
};

const MOST_FOLDERS = 20_000;
const MOST_ENTRIES = 100_000;
const LONGEST_MS = 2_000;
/** How long the event loop may be blocked at a time. */
const SLICE_MS = 15;
/** A folder that changed just before may change again within the same tick of the file system's clock. */
const FRESH_MS = 2_500;
const PIPE = 0o010000;
const KIND = 0o170000;

type Found =
  | ({ readonly kind: 'denied' } & Denied)
  | { readonly kind: 'unchanged'; readonly path: string }
  | { readonly kind: 'pipe'; readonly path: string }
  | { readonly kind: 'repository'; readonly path: string }
  /** It can't be looked at by its name, or became something else meanwhile: it may hold anything. */
  | { readonly kind: 'unclear'; readonly path: string };

/** A folder as it was listed. */
type Known = {
  readonly identity: string;
  /** Undefined: must be listed again in any case. */
  readonly ctimeMs: number | undefined;
  readonly found: readonly Found[];
  readonly inside: readonly Place[];
};

/** A folder, and the path by which it was reached, which may contain links. */
type Place = {
  readonly real: string;
  readonly path: string;
  readonly chain: readonly string[];
  readonly isStart?: true;
};

export function createLister(host: Host): FolderLister {
  const lists = new Map<string, Map<string, Known>>();
  const inTurn = serialQueue();
  return {
    list: (folder, shown, matchers) => {
      const key = JSON.stringify([folder, shown, matchers.denied?.key, matchers.fixed?.key]);
      return inTurn(async () => {
        const known = lists.get(key) ?? new Map<string, Known>();
        lists.set(key, known);
        return walk(host, folder, known, (place, entries) => examine(host, place, entries, shown, matchers));
      });
    },
  };
}

type Examine = (place: Place, entries: readonly Entry[]) => Pick<Known, 'found' | 'inside'>;

async function walk(host: Host, root: string, known: Map<string, Known>, look: Examine): Promise<Listed> {
  const began = host.clock.elapsed();
  let resumed = began;
  const reached = new Set<string>();
  const found: Found[] = [];
  const pending: Place[] = [{ real: root, path: root, chain: [], isStart: true }];
  for (let place = pending.pop(); place !== undefined; place = pending.pop()) {
    reached.add(place.path);
    const now = host.clock.elapsed();
    if (reached.size > MOST_FOLDERS) return tooMuch(root, `more than ${MOST_FOLDERS} folders`);
    if (now - began > LONGEST_MS) return tooMuch(root, 'too many files to look through in time');
    if (now - resumed > SLICE_MS) {
      await host.clock.sleep(0);
      resumed = host.clock.elapsed();
    }
    const current = listAgain(host, place, known.get(place.path), look);
    if (current === 'too many') return tooMuch(place.path, 'too many entries');
    if (current === undefined) continue;
    const unclear = current.found.find(({ kind }) => kind === 'unclear');
    if (unclear !== undefined) {
      const reason = `${unclear.path} has a name that is not UTF-8, or changed just now, so it is not known what must be hidden`;
      return { ok: false, reason };
    }
    known.set(place.path, current);
    found.push(...current.found);
    pending.push(...current.inside);
  }
  for (const path of known.keys()) if (!reached.has(path)) known.delete(path);
  return { ok: true, listing: collect(found) };
}

/** Undefined if it is gone, or a folder we can't read: then the command can't either. */
function listAgain(host: Host, place: Place, known: Known | undefined, look: Examine): Known | 'too many' | undefined {
  const { sync } = host.files;
  try {
    const startedAt = host.clock.now();
    const stat = sync.lstat(place.real);
    if (stat === undefined) return isGone(host, place.real) ? undefined : asSingle(place, 'unclear');
    if (stat.kind !== 'folder') return examineOther(place, stat);
    if (known !== undefined && known.identity === stat.identity && known.ctimeMs === stat.ctimeMs) return known;
    const entries = sync.list(place.real, MOST_ENTRIES);
    if (entries.length >= MOST_ENTRIES) return 'too many';
    const ctimeMs = stat.ctimeMs < startedAt - FRESH_MS ? stat.ctimeMs : undefined;
    return { identity: stat.identity, ctimeMs, ...look(place, entries) };
  } catch (error) {
    return errorCode(error) === 'EACCES' || isGone(host, place.real) ? undefined : asSingle(place, 'unclear');
  }
}

/** What is shown may be a single file. Inside a folder, it was one when its parent was listed. */
function examineOther(place: Place, { mode }: FileStat): Known | undefined {
  if (!place.isStart) return asSingle(place, 'unclear');
  return (mode & KIND) === PIPE ? asSingle(place, 'pipe') : undefined;
}

function asSingle({ real }: Place, kind: 'unclear' | 'pipe'): Known {
  return { identity: '', ctimeMs: undefined, found: [{ kind, path: real }], inside: [] };
}

/** A name that is listed and can't be found is no name of nothing. */
function isGone(host: Host, path: string): boolean {
  try {
    return !host.files.sync.list(dirname(path), MOST_ENTRIES).some(({ name }) => name === basename(path));
  } catch (error) {
    return errorCode(error) === 'ENOENT';
  }
}

function tooMuch(folder: string, what: string): Listed {
  return { ok: false, reason: `${folder} has ${what}, so it is not known what must be hidden in it` };
}

function collect(found: readonly Found[]): Listing {
  const denied = new Map<string, Denied>();
  const unchanged = new Set<string>();
  const pipes = new Set<string>();
  const repositories = new Set<string>();
  for (const one of found) {
    if (one.kind === 'denied') denied.set(one.path, { path: one.path, isFolder: one.isFolder });
    else if (one.kind === 'unchanged') unchanged.add(one.path);
    else if (one.kind === 'pipe') pipes.add(one.path);
    else if (one.kind === 'repository') repositories.add(one.path);
  }
  return {
    denied: [...denied.values()],
    unchanged: [...unchanged],
    pipes: [...pipes],
    repositories: [...repositories],
  };
}

function examine(
  host: Host,
  place: Place,
  entries: readonly Entry[],
  shown: readonly string[],
  { denied: matcher, fixed }: Matchers,
): Pick<Known, 'found' | 'inside'> {
  const found: Found[] = [];
  const inside: Place[] = [];
  for (const { name, kind } of entries) {
    const path = join(place.path, name);
    const real = join(place.real, name);
    if (isInexact(name) && !isHarmless(kind, path, matcher)) {
      found.push({ kind: 'unclear', path });
      continue;
    }
    if (kind !== 'link' && fixed?.covers(path, kind === 'folder')) found.push({ kind: 'unchanged', path: real });
    switch (kind) {
      case 'folder':
        if (matcher?.covers(path, true)) found.push({ kind: 'denied', path: real, isFolder: true });
        else inside.push({ real, path, chain: place.chain });
        break;
      case 'file':
        if (matcher?.covers(path, false)) found.push({ kind: 'denied', path: real, isFolder: false });
        break;
      case 'link':
        if (matcher !== undefined) followLink(host, { real, path, chain: place.chain }, shown, matcher, found, inside);
        break;
      case 'other':
        if (matcher?.covers(path, false)) found.push({ kind: 'denied', path: real, isFolder: false });
        else found.push(...lookAtOther(host, real));
        break;
      default:
        kind satisfies never;
    }
  }
  if (isRepository(place.real, entries)) found.push({ kind: 'repository', path: place.real });
  return { found, inside };
}

/** Bytes that are no UTF-8 are read as this character: the name leads to nothing, or to another file. */
function isInexact(name: string): boolean {
  return name.includes('\uFFFD');
}

/** Whether nothing in it needs a cover, although it can't be looked at by its name. */
function isHarmless(kind: FileKind, path: string, matcher: DeniedMatcher | undefined): boolean {
  if (kind === 'link') return matcher === undefined;
  return kind === 'file' && !matcher?.covers(path, false);
}

/** A denied name may be a link to another file, and a link to a folder gives the files in it other names. */
function followLink(
  host: Host,
  { real, path, chain }: Place,
  shown: readonly string[],
  matcher: DeniedMatcher,
  found: Found[],
  inside: Place[],
): void {
  const target = targetOf(host, real);
  if (target === undefined || !shown.some((folder) => isWithin(target.path, folder))) return;
  if (target.stat === undefined) {
    found.push({ kind: 'unclear', path });
    return;
  }
  const isFolder = target.stat.kind === 'folder';
  if (matcher.covers(path, isFolder)) {
    found.push({ kind: 'denied', path: target.path, isFolder });
    return;
  }
  if (!isFolder || !matcher.reachesByPath(path)) return;
  // A link to a folder on its own way would be followed for ever.
  const way = [...chain, dirname(real)];
  if (way.some((folder) => isWithin(folder, target.path))) return;
  inside.push({ real: target.path, path, chain: way });
}

/** Undefined if it leads nowhere, or where neither we nor the command may look. */
function targetOf(
  host: Host,
  link: string,
): { readonly path: string; readonly stat: FileStat | undefined } | undefined {
  try {
    const path = host.files.sync.realpath(link);
    return path === undefined ? undefined : { path, stat: host.files.sync.lstat(path) };
  } catch {
    return undefined;
  }
}

function lookAtOther(host: Host, path: string): readonly Found[] {
  try {
    const stat = host.files.sync.lstat(path);
    if (stat === undefined) return isGone(host, path) ? [] : [{ kind: 'unclear', path }];
    return (stat.mode & KIND) === PIPE ? [{ kind: 'pipe', path }] : [];
  } catch {
    return [{ kind: 'pipe', path }];
  }
}

function isRepository(folder: string, entries: readonly Entry[]): boolean {
  const has = (name: string) => entries.some((entry) => entry.name === name);
  return has('.git') || (basename(folder) !== '.git' && has('HEAD') && has('objects'));
}
