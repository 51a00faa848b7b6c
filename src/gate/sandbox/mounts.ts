/** What a sandboxed command sees of the machine, as an ordered list of mounts. Pure. */

import { dirname } from 'node:path';

export type Mount =
  /** Folders the agent works in, and what was granted. `source`: something else is shown at this path. */
  | { readonly kind: 'open'; readonly path: string; readonly source?: string }
  /** Shown read-only inside something hidden. */
  | { readonly kind: 'show'; readonly path: string }
  /** Read-only inside something open. */
  | { readonly kind: 'read'; readonly path: string }
  /** Writable like its surroundings, but can't be moved or replaced: it may contain protected names. */
  | { readonly kind: 'pin'; readonly path: string }
  | { readonly kind: 'hide-folder'; readonly path: string }
  | { readonly kind: 'hide-file'; readonly path: string };

const STRENGTH: Readonly<Record<Mount['kind'], number>> = {
  pin: 0,
  read: 1,
  show: 2,
  open: 3,
  'hide-file': 4,
  'hide-folder': 4,
};

/** Outer paths first, so that inner mounts end up on top; of several for one path the strongest wins. */
export function orderMounts(mounts: readonly Mount[]): readonly Mount[] {
  const byPath = new Map<string, Mount>();
  for (const mount of mounts) {
    const known = byPath.get(mount.path);
    if (known === undefined || STRENGTH[mount.kind] > STRENGTH[known.kind]) byPath.set(mount.path, mount);
  }
  return [...byPath.values()]
    .filter((mount) => (mount.kind !== 'read' && mount.kind !== 'pin') || liesInOpen(mount.path, byPath))
    .sort((a, b) => depth(a.path) - depth(b.path));
}

export function mountArguments(mounts: readonly Mount[]): readonly string[] {
  return mounts.flatMap((mount) => {
    switch (mount.kind) {
      case 'open':
        return ['--bind', mount.source ?? mount.path, mount.path];
      case 'pin':
        return ['--bind', mount.path, mount.path];
      case 'read':
      case 'show':
        return ['--ro-bind', mount.path, mount.path];
      case 'hide-folder':
        return ['--tmpfs', mount.path];
      case 'hide-file':
        return ['--ro-bind', '/dev/null', mount.path];
      default:
        return mount satisfies never;
    }
  });
}

/**
 * Guards follow links that a project created. A link that leads out of the open paths must have no effect: a pin would
 * make its target writable, and a read mount would show it.
 */
function liesInOpen(path: string, byPath: ReadonlyMap<string, Mount>): boolean {
  for (let folder = path; folder !== dirname(folder); ) {
    folder = dirname(folder);
    const around = byPath.get(folder);
    if (around === undefined || around.kind === 'pin') continue;
    return around.kind === 'open' && around.source === undefined;
  }
  return false;
}

/** Whether the machine's own file at this path is there in the sandbox. */
export function isVisible(path: string, mounts: readonly Mount[]): boolean {
  const byPath = new Map(orderMounts(mounts).map((mount) => [mount.path, mount]));
  for (let folder = path; ; folder = dirname(folder)) {
    const around = byPath.get(folder);
    if (around !== undefined) return !around.kind.startsWith('hide') && !('source' in around);
    if (folder === dirname(folder)) return true;
  }
}

function depth(path: string): number {
  return path.split('/').filter((name) => name !== '').length;
}
