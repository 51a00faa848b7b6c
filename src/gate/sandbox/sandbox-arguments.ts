/** The arguments of bubblewrap for a sandboxed command. */

import type { Bubblewrap } from '../confine/find-bubblewrap.js';
import { type Mount, mountArguments, orderMounts } from './mounts.js';

export type Profile = {
  readonly mounts: readonly Mount[];
  readonly network: boolean;
  readonly cwd: string;
  /** Part of a mount's path that identifies the processes of this run. */
  readonly mark: string;
};

export function bubblewrapArguments(
  bubblewrap: Bubblewrap,
  profile: Profile,
  command: readonly string[],
): readonly string[] {
  const mounts = orderMounts(profile.mounts);
  const hidden = mounts.filter(({ kind }) => kind === 'hide-folder').map(({ path }) => path);
  return [
    // As root, a process that kept its capabilities could remount everything writable.
    ...['--unshare-user', '--cap-drop', 'ALL', '--die-with-parent'],
    ...(bubblewrap.disablesNesting ? ['--disable-userns'] : []),
    ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...(profile.network ? [] : ['--unshare-net']),
    // Without a controlling terminal, nothing can be typed into ours.
    '--new-session',
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
    // The kernel lets root write its settings (core_pattern runs programs) even without any capability.
    ...['--ro-bind', '/proc/sys', '/proc/sys'],
    // Sockets of services accept connections even on a read-only file system: Docker's, the session bus.
    ...['--tmpfs', '/run', ...SOFTWARE_IN_RUN.flatMap((path) => ['--ro-bind-try', path, path])],
    ...['--tmpfs', `/run/${profile.mark}`],
    ...mountArguments(mounts),
    // Last, because inner mounts need their mount points: a write there must fail, not vanish.
    ...hidden.flatMap((path) => ['--remount-ro', path]),
    ...['--chdir', profile.cwd],
    // The first process waits only for the command, then ends; the kernel ends all others before it counts as gone.
    ...['--as-pid-1', '--', '/bin/sh', '-c', '"$@"; exit $?', 'sh', ...command],
  ];
}

const SOFTWARE_IN_RUN = ['/run/current-system', '/run/wrappers', '/run/opengl-driver'];
