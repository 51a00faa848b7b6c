/** What a sandboxed command must not see or reach: our state, our keys, and the sockets of other services. */

import type { Environment, Host } from '../../host/host.js';
import { findSockets } from '../confine/find-sockets.js';
import { realPath } from '../permissions/paths/real-path.js';
import { isVisible, type Mount } from './mounts.js';

/**
 * A socket accepts connections on a read-only file system, so every one that a program listens on is covered, and those
 * that the environment names: they may belong to another network. `/run` is hidden as a whole.
 */
export async function hideSockets(host: Host, mounts: readonly Mount[]): Promise<readonly Mount[]> {
  const docker = /^unix:\/\/(\/.+)$/.exec(host.env.DOCKER_HOST ?? '')?.[1];
  const named = [host.env.SSH_AUTH_SOCK, docker].flatMap((path) => {
    const real = path?.startsWith('/') ? realPath(path, host.files.sync) : undefined;
    return real === undefined || host.files.sync.lstat(real)?.kind !== 'other' ? [] : [real];
  });
  const paths = new Set([...named, ...(await findSockets(host))]);
  const visible = [...paths].filter((path) => !/^\/(?:run|dev|proc)\//.test(path) && isVisible(path, mounts));
  return visible.map((path) => ({ kind: 'hide-file', path }));
}

/** The command's environment without our keys and without the addresses of what is hidden. */
export function sandboxEnvironment(env: Environment): Environment {
  const kept = Object.entries(env).filter(([name]) => {
    if (name.startsWith('ANTHROPIC_')) return env.COPPICE_KEEP_KEYS === '1';
    return !/^(?:SSH_AUTH_SOCK|SSH_AGENT_PID|DBUS_SESSION_BUS_ADDRESS|XDG_RUNTIME_DIR|DOCKER_HOST|COPPICE_KEEP_KEYS)$/.test(
      name,
    );
  });
  return { ...Object.fromEntries(kept), TMPDIR: '/tmp', COPPICE_SANDBOX: '1' };
}
