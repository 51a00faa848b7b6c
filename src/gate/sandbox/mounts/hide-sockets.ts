/** Sockets that a command must not reach: a program that listens there acts outside, with the user's own rights. */

import { dirname, join } from 'node:path';
import type { Host } from '../../../host/host.js';
import { realPath } from '../../permissions/paths/real-path.js';
import { isWithin } from '../../permissions/paths/resolve-path.js';
import { findSockets } from '../linux/find-sockets.js';
import { arrangeMounts, isVisible, type Mount } from './mounts.js';

/**
 * A socket accepts connections on a read-only file system, so every one that a program listens on is covered, and those
 * that the environment names: they may belong to another network. `/run` is hidden as a whole.
 */
export async function hideSockets(
  host: Host,
  mounts: readonly Mount[],
  isKept?: (path: string) => boolean,
): Promise<readonly Mount[]> {
  const docker = /^unix:\/\/(\/.+)$/.exec(host.env.DOCKER_HOST ?? '')?.[1];
  const named = [host.env.SSH_AUTH_SOCK, docker].flatMap((path) => {
    const real = path?.startsWith('/') ? realPath(path, host.files.sync) : undefined;
    return real === undefined || host.files.sync.lstat(real)?.kind !== 'other' ? [] : [real];
  });
  const paths = new Set([...named, ...(await findSockets(host))]);
  const arranged = arrangeMounts(mounts);
  const visible = [...paths].filter(
    (path) =>
      (isKept === undefined ? !/^\/(?:run|dev|proc)\//.test(path) : !isKept(path)) &&
      isVisible(path, arranged) &&
      isReachable(host, path),
  );
  return visible.map((path) => ({ kind: 'hide-file', path }));
}

/** Services that a build or a test talks to, and that start nothing: agents for keys, databases, and what the project runs. */
export function isUsual(path: string, { env }: Host, roots: readonly string[], containers: boolean): boolean {
  if (path === env.SSH_AUTH_SOCK || roots.some((root) => isWithin(path, root))) return true;
  if (/^\/(?:dev|proc)\//.test(path)) return true;
  const isAgent = /\/S\.(?:gpg-agent(?:\.\w+)?|scdaemon|keyboxd)$|\/ssh-\w+\/agent\.\d+$|\/keyring\/ssh$/.test(path);
  const isDatabase =
    /\/\.s\.PGSQL\.\d+$|\/mysqlx?(?:d)?\.sock$|\/redis[\w-]*\.sock$|\/memcached[\w-]*\.sock$|\/mongodb-\d+\.sock$/.test(
      path,
    );
  return (
    isAgent ||
    isDatabase ||
    /\/nscd\/socket$|\/systemd\/resolve\//.test(path) ||
    (containers && /docker|containerd/.test(path))
  );
}

/** In another user's private folder nothing can be reached without capabilities, and nothing be mounted. */
function isReachable({ files: { sync } }: Host, path: string): boolean {
  const own = sync.lstat('/proc/self')?.owner.user;
  for (let folder = dirname(path); folder !== '/'; folder = dirname(folder)) {
    const stat = sync.lstat(folder);
    if (stat === undefined || (stat.owner.user !== own && (stat.mode & 0o011) === 0)) return false;
  }
  return true;
}

/** Of the services and terminals that start programs for anyone who asks. */
const STARTERS = [
  '/run/systemd/private',
  '/run/dbus/system_bus_socket',
  '/run/screen',
  '/run/uscreens',
  '/tmp/screens',
];
const USER_STARTERS = ['bus', 'systemd', 'emacs', 'tmux'];
const CONTAINERS = ['/run/docker.sock', '/run/containerd', '/run/podman', '/run/crio', '/run/buildkit'];
const USER_CONTAINERS = ['docker.sock', 'podman', 'containerd', 'buildkit'];

/** For a command that a rule allows: only sockets that start programs outside. An agent for keys, a database stay. */
export function hideStarters(host: Host, user: number, home: string, { containers }: { readonly containers: boolean }) {
  const { env } = host;
  const runtime = [`/run/user/${user}`, ...(env.XDG_RUNTIME_DIR?.startsWith('/') ? [env.XDG_RUNTIME_DIR] : [])];
  const named = (text: string | undefined, pattern: RegExp) => pattern.exec(text ?? '')?.slice(1, 2) ?? [];
  const paths = [
    ...STARTERS,
    ...runtime.flatMap((folder) => USER_STARTERS.map((name) => join(folder, name))),
    ...named(env.DBUS_SESSION_BUS_ADDRESS, /unix:path=([^,;]+)/),
    ...named(env.TMUX, /^(\/[^,]+)/),
    ...['/tmp', ...(env.TMUX_TMPDIR?.startsWith('/') ? [env.TMUX_TMPDIR] : [])].map((tmp) => `${tmp}/tmux-${user}`),
    join(home, '.screen'),
    ...(containers
      ? []
      : [
          ...CONTAINERS,
          ...runtime.flatMap((folder) => USER_CONTAINERS.map((name) => join(folder, name))),
          ...named(env.DOCKER_HOST, /^unix:\/\/(\/.+)$/),
          join(home, '.docker/run'),
          join(home, '.colima'),
        ]),
  ];
  const real = new Set(paths.flatMap((path) => realPath(path, host.files.sync) ?? []));
  return [...real].map((path): Mount => {
    const kind = host.files.sync.lstat(path)?.kind === 'folder' ? 'hide-folder' : 'hide-file';
    return { kind, path };
  });
}
