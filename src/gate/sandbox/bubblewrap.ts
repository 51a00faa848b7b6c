/** Bubblewrap: finds the program and builds the arguments of every sandboxed command. */

import { isAbsolute, join } from 'node:path';
import type { Host } from '../../host/host.js';
import { isWithin } from '../permissions/paths/resolve-path.js';
import { type Mount, mountArguments, orderMounts } from './mounts.js';

export type Bubblewrap = { readonly file: string; readonly version: string; readonly disablesNesting: boolean };

export type Profile = {
  readonly mounts: readonly Mount[];
  readonly network: boolean;
  readonly cwd: string;
  /** Part of a mount's path that identifies the processes of this run. */
  readonly mark: string;
};

/** Searches the person's PATH, but never a folder an agent can write to. */
export async function findBubblewrap(host: Host, roots: readonly string[]): Promise<Bubblewrap | undefined> {
  for (const folder of (host.env.PATH ?? '/usr/local/bin:/usr/bin:/bin').split(':')) {
    if (!isAbsolute(folder) || roots.some((root) => isWithin(folder, root))) continue;
    const file = join(folder, 'bwrap');
    const found = await host.files.stat(file).catch(() => undefined);
    if (found?.kind !== 'file' || (found.mode & 0o111) === 0) continue;
    const real = await host.files.realpath(file);
    if (roots.some((root) => isWithin(real, root))) continue;
    const { stdout, code } = await host.processes.run({
      file,
      args: ['--version'],
      cwd: '/',
      env: host.env,
      timeoutMs: 5_000,
    });
    const version = /\d+\.\d+(?:\.\d+)?/.exec(stdout.toString('utf8'))?.[0];
    if (code !== 0 || version === undefined) continue;
    return { file, version, disablesNesting: isAtLeast(version, 0, 8) };
  }
  return undefined;
}

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

function isAtLeast(version: string, major: number, minor: number): boolean {
  const [first = 0, second = 0] = version.split('.').map(Number);
  return first > major || (first === major && second >= minor);
}
