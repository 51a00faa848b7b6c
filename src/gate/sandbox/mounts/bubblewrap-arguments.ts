/** The arguments of bubblewrap for a command. Pure. */

import type { Bubblewrap } from '../linux/find-bubblewrap.js';
import { arrangeMounts, type Mount } from './mounts.js';

/** What a command gets. */
export type Layout = {
  /** One for `/` shows or opens the machine as a whole; without it nothing is there but what is mounted. */
  readonly mounts: readonly Mount[];
  /** As the shell calls it. */
  readonly cwd: string;
  readonly sharesNetwork: boolean;
  /** It may make namespaces inside (browsers do). They can't undo mounts, which are locked there. */
  readonly nests: boolean;
  /** `more`: also graphics and the like, and the kernel's settings as they are. Not for root, who could write to both. */
  readonly devices: 'few' | 'usual' | 'more';
  /** The descriptor with the seccomp program. */
  readonly filter?: number;
  /** A file that nobody may read. */
  readonly nothing: string;
};

/** Few, because every mount costs time. The machine's own: the filter keeps them as they are. */
export const DEVICES = ['null', 'zero', 'urandom'].map((name) => `/dev/${name}`);
const MORE_DEVICES = 'dri kvm fuse nvidia0 nvidia1 nvidiactl nvidia-uvm nvidia-uvm-tools nvidia-modeset kfd'
  .split(' ')
  .map((name) => `/dev/${name}`);
const LINKS = { random: 'urandom', fd: '/proc/self/fd', stdin: 'fd/0', stdout: 'fd/1', stderr: 'fd/2' };
/** The kernel lets root write its settings (core_pattern runs programs) even without any capability. */
const KERNEL = ['/proc/sys', '/proc/sysrq-trigger', '/proc/irq', '/proc/bus', '/sys'];
const MOST_BYTES = 256 * 1024 * 1024;

export function bubblewrapArguments(
  bubblewrap: Bubblewrap,
  layout: Layout,
  command: readonly string[],
): readonly string[] {
  const mounts = arrangeMounts(layout.mounts);
  const whole = mounts.filter(({ path }) => path === '/');
  const sealed = mounts.filter(({ kind }) => kind === 'empty' || kind === 'hide-folder').map(({ path }) => path);
  return [
    // As root, a process that kept its capabilities could remount everything writable.
    ...['--unshare-user', '--cap-drop', 'ALL', '--die-with-parent'],
    ...(bubblewrap.disablesNesting && !layout.nests ? ['--disable-userns'] : []),
    ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    // Without a controlling terminal nothing can be typed into ours.
    '--new-session',
    ...(layout.sharesNetwork ? [] : ['--unshare-net']),
    ...(layout.filter === undefined ? [] : ['--seccomp', String(layout.filter)]),
    ...whole.flatMap((mount) => mountArguments(mount, layout)),
    ...systemArguments(layout, whole.length > 0),
    ...mounts.filter(({ path }) => path !== '/').flatMap((mount) => mountArguments(mount, layout)),
    // Last, because inner mounts need their mount points: a write there must fail, not vanish.
    ...[...(whole.length > 0 ? [] : ['/']), ...sealed].flatMap((path) => ['--remount-ro', path]),
    // The command is the first process of its own: when it ends, the kernel ends all others before it counts as gone.
    ...['--chdir', layout.cwd, '--as-pid-1', '--', ...command],
  ];
}

function systemArguments({ devices }: Layout, isWhole: boolean): readonly string[] {
  return [
    ...['--proc', '/proc'],
    ...(isWhole ? [] : ['--remount-ro', '/proc']),
    ...(isWhole && devices !== 'more' ? KERNEL.flatMap((path) => ['--ro-bind-try', path, path]) : []),
    // With terminals of its own: what is typed into the user's can't be read, nor anything be shown there.
    ...(devices === 'few' ? [] : ['--dev', '/dev']),
    ...(devices === 'more' ? MORE_DEVICES.flatMap((path) => ['--dev-bind-try', path, path]) : []),
    ...(devices === 'few' ? DEVICES.flatMap((path) => ['--dev-bind', path, path]) : []),
    ...(devices === 'few'
      ? Object.entries(LINKS).flatMap(([name, target]) => ['--symlink', target, `/dev/${name}`])
      : []),
  ];
}

function mountArguments(mount: Mount, { nothing }: Layout): readonly string[] {
  switch (mount.kind) {
    case 'show':
      return ['--ro-bind', mount.source ?? mount.path, mount.path];
    case 'open':
      return ['--bind', mount.source ?? mount.path, mount.path];
    case 'read':
      return ['--ro-bind', mount.path, mount.path];
    case 'pin':
      return ['--bind', mount.path, mount.path];
    case 'link':
      return ['--symlink', mount.target, mount.path];
    case 'folder':
      return ['--dir', mount.path];
    case 'own':
      return ['--size', String(MOST_BYTES), '--tmpfs', mount.path];
    case 'empty':
      return ['--tmpfs', mount.path];
    case 'hide-file':
      return ['--ro-bind', nothing, mount.path];
    case 'hide-folder':
      return ['--perms', '0000', '--tmpfs', mount.path];
    default:
      return mount satisfies never;
  }
}
