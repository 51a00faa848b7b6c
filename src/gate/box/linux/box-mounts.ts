/** What a command in the reading box sees of the machine, as a list of mounts, and bubblewrap's arguments for it. Pure. */

import { dirname } from 'node:path';
import type { Bubblewrap } from '../../confine/find-bubblewrap.js';

export type BoxMount =
  /** Read-only. `source`: something else is shown at this path. */
  | { readonly kind: 'show'; readonly path: string; readonly source?: string }
  | { readonly kind: 'link'; readonly path: string; readonly target: string }
  /** An empty folder, so that the path exists. */
  | { readonly kind: 'folder'; readonly path: string }
  /** The box's own, and the only folder that can be written. */
  | { readonly kind: 'own'; readonly path: string }
  /** Reading it is refused. */
  | { readonly kind: 'hide-file'; readonly path: string }
  | { readonly kind: 'hide-folder'; readonly path: string }
  /** Covered by an empty folder, in which other mounts may lie. */
  | { readonly kind: 'empty'; readonly path: string };

export type BoxLayout = {
  readonly mounts: readonly BoxMount[];
  /** As the shell calls it. */
  readonly cwd: string;
  /** The descriptor with the seccomp program. */
  readonly filter: number;
  /** A file that nobody may read. */
  readonly nothing: string;
};

/** Few, because every mount costs time. The machine's own: the filter keeps them as they are. */
export const DEVICES = ['null', 'zero', 'urandom'].map((name) => `/dev/${name}`);
const LINKS = { random: 'urandom', fd: '/proc/self/fd', stdin: 'fd/0', stdout: 'fd/1', stderr: 'fd/2' };
const MOST_BYTES = 256 * 1024 * 1024;

const STRENGTH: Readonly<Record<BoxMount['kind'], number>> = {
  folder: 0,
  link: 1,
  own: 2,
  show: 3,
  empty: 4,
  'hide-file': 5,
  'hide-folder': 5,
};

/** Outer paths first, so that inner mounts end up on top, and nothing that is there already. */
export function arrangeMounts(mounts: readonly BoxMount[]): readonly BoxMount[] {
  const byPath = new Map<string, BoxMount>();
  for (const mount of mounts) {
    const known = byPath.get(mount.path);
    if (known === undefined || STRENGTH[mount.kind] > STRENGTH[known.kind]) byPath.set(mount.path, mount);
  }
  const arranged: BoxMount[] = [];
  const kept = new Map<string, BoxMount>();
  for (const mount of [...byPath.values()].sort((a, b) => depth(a.path) - depth(b.path))) {
    if (!isNeeded(mount, findAround(mount.path, kept))) continue;
    kept.set(mount.path, mount);
    arranged.push(mount);
  }
  return arranged;
}

function findAround(path: string, kept: ReadonlyMap<string, BoxMount>): BoxMount | undefined {
  for (let folder = path; folder !== dirname(folder); ) {
    folder = dirname(folder);
    const around = kept.get(folder);
    if (around !== undefined && around.kind !== 'folder') return around;
  }
  return undefined;
}

function isNeeded(mount: BoxMount, around: BoxMount | undefined): boolean {
  if (around?.kind === 'hide-folder' || around?.kind === 'hide-file') return false;
  const isThere = around?.kind === 'show' && around.source === undefined;
  switch (mount.kind) {
    case 'show':
      return mount.source !== undefined || !isThere;
    case 'link':
    case 'folder':
      return around?.kind !== 'show';
    case 'own':
      return true;
    case 'hide-file':
    case 'hide-folder':
    case 'empty':
      return isThere;
    default:
      return mount satisfies never;
  }
}

export function boxArguments(bubblewrap: Bubblewrap, layout: BoxLayout, command: readonly string[]): readonly string[] {
  const mounts = arrangeMounts(layout.mounts);
  const sealed = mounts.filter(({ kind }) => kind === 'empty' || kind === 'hide-folder').map(({ path }) => path);
  return [
    // As root, a process that kept its capabilities could remount everything writable.
    ...['--unshare-user', '--cap-drop', 'ALL', '--die-with-parent'],
    ...(bubblewrap.disablesNesting ? ['--disable-userns'] : []),
    ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-net'],
    // Without a controlling terminal, nothing can be typed into ours.
    '--new-session',
    ...['--seccomp', String(layout.filter)],
    ...['--proc', '/proc', ...DEVICES.flatMap((path) => ['--dev-bind', path, path])],
    ...Object.entries(LINKS).flatMap(([name, target]) => ['--symlink', target, `/dev/${name}`]),
    ...mounts.flatMap((mount) => mountArguments(mount, layout)),
    // Last, because inner mounts need their mount points. `/proc` too: root may write kernel settings without any capability.
    ...['/', '/proc', ...sealed].flatMap((path) => ['--remount-ro', path]),
    // The command is the first process: when it ends, the kernel ends all others before it counts as gone.
    ...['--chdir', layout.cwd, '--as-pid-1', '--', ...command],
  ];
}

function mountArguments(mount: BoxMount, { nothing }: BoxLayout): readonly string[] {
  switch (mount.kind) {
    case 'show':
      return ['--ro-bind', mount.source ?? mount.path, mount.path];
    case 'link':
      return ['--symlink', mount.target, mount.path];
    case 'folder':
      return ['--dir', mount.path];
    case 'own':
      return ['--size', String(MOST_BYTES), '--tmpfs', mount.path];
    case 'hide-file':
      return ['--ro-bind', nothing, mount.path];
    case 'hide-folder':
      return ['--perms', '0000', '--tmpfs', mount.path];
    case 'empty':
      return ['--tmpfs', mount.path];
    default:
      return mount satisfies never;
  }
}

function depth(path: string): number {
  return path.split('/').filter((name) => name !== '').length;
}
