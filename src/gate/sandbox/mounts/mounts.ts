/** What a command sees of the machine, as a list of mounts, and their order. Pure. */

import { dirname } from 'node:path';

export type Mount =
  /** Read-only. `source`: something else is shown at this path. */
  | { readonly kind: 'show'; readonly path: string; readonly source?: string }
  /** Writable. `source`: something else is there at this path. */
  | { readonly kind: 'open'; readonly path: string; readonly source?: string }
  /** A guard: read-only inside something open. */
  | { readonly kind: 'read'; readonly path: string }
  /** A guard: writable like its surroundings, but can't be moved or replaced, because it contains guarded names. */
  | { readonly kind: 'pin'; readonly path: string }
  | { readonly kind: 'link'; readonly path: string; readonly target: string }
  /** An empty folder, so that the path exists. */
  | { readonly kind: 'folder'; readonly path: string }
  /** A writable folder of the sandbox itself, limited in size, gone with the command. */
  | { readonly kind: 'own'; readonly path: string }
  /** Covered by an empty, read-only folder, in which other mounts may lie. */
  | { readonly kind: 'empty'; readonly path: string }
  /** Reading it is refused. */
  | { readonly kind: 'hide-file'; readonly path: string }
  | { readonly kind: 'hide-folder'; readonly path: string };

/** Of several mounts for one path the strongest applies; of equal ones, the first. */
const STRENGTH: Readonly<Record<Mount['kind'], number>> = {
  folder: 0,
  link: 1,
  pin: 2,
  read: 3,
  own: 4,
  show: 5,
  open: 6,
  empty: 7,
  'hide-file': 8,
  'hide-folder': 8,
};

/** Outer paths first, so that inner mounts end up on top; none that changes nothing, and no guard that opens anything. */
export function arrangeMounts(mounts: readonly Mount[]): readonly Mount[] {
  const byPath = new Map<string, Mount>();
  for (const mount of mounts) {
    const known = byPath.get(mount.path);
    if (known === undefined || STRENGTH[mount.kind] > STRENGTH[known.kind]) byPath.set(mount.path, mount);
  }
  const pinned = new Set(mounts.flatMap(({ kind, path }) => (kind === 'pin' ? [path] : [])));
  const kept = new Map<string, Mount>();
  for (const mount of [...byPath.values()].sort((a, b) => depth(a.path) - depth(b.path))) {
    const around = findAround(mount.path, kept);
    const pin: Mount = { kind: 'pin', path: mount.path };
    if (isNeeded(mount, around)) kept.set(mount.path, mount);
    // What is open anyway must still not be moved.
    else if (pinned.has(mount.path) && isNeeded(pin, around)) kept.set(mount.path, pin);
  }
  return [...kept.values()];
}

/** The mount that decides about a path before another is made there. Pins and empty folders are like what is around them. */
function findAround(path: string, kept: ReadonlyMap<string, Mount>): Mount | undefined {
  for (let folder = path; folder !== dirname(folder); ) {
    folder = dirname(folder);
    const around = kept.get(folder);
    if (around !== undefined && around.kind !== 'folder' && around.kind !== 'pin') return around;
  }
  return undefined;
}

function isNeeded(mount: Mount, around: Mount | undefined): boolean {
  if (around?.kind === 'hide-folder' || around?.kind === 'hide-file') return false;
  switch (mount.kind) {
    case 'show':
      return mount.source !== undefined || !(isThere(around) && around?.kind !== 'open');
    case 'open':
      return mount.source !== undefined || !(isThere(around) && around?.kind === 'open');
    case 'read':
    case 'pin':
      // Guards follow links that a project made: one that leads out of what is open must neither open nor show anything.
      return isThere(around) && around?.kind === 'open';
    case 'link':
    case 'folder':
      return around === undefined || around.kind === 'own' || around.kind === 'empty';
    case 'own':
      return true;
    case 'empty':
    case 'hide-file':
    case 'hide-folder':
      return isThere(around);
    default:
      return mount satisfies never;
  }
}

/** True if the machine's own files are there. */
function isThere(around: Mount | undefined): boolean {
  switch (around?.kind) {
    case 'read':
      return true;
    case 'show':
    case 'open':
      return around.source === undefined;
    default:
      return false;
  }
}

/** True if the machine's own file at this path is there for the command. `arranged`: as `arrangeMounts` returns them. */
export function isVisible(path: string, arranged: readonly Mount[]): boolean {
  const kept = new Map(arranged.map((mount) => [mount.path, mount]));
  const own = kept.get(path);
  return isThere(own === undefined || own.kind === 'pin' ? findAround(path, kept) : own);
}

function depth(path: string): number {
  return path.split('/').filter((name) => name !== '').length;
}
