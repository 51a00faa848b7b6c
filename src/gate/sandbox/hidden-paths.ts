/** What a sandboxed command must not see or reach: our state, our keys, and the sockets of other services. */

import { join } from 'node:path';
import type { Environment, Host } from '../../host/host.js';
import type { Mount } from './mounts.js';

/** A socket accepts connections on a read-only file system, so these are covered. `/run` is hidden as a whole. */
const SOCKETS_AT_HOME = ['.docker/run/docker.sock', '.docker/desktop/docker.sock', '.gnupg/S.gpg-agent'];

export async function findHiddenSockets(host: Host, home: string): Promise<readonly Mount[]> {
  const docker = /^unix:\/\/(\/.+)$/.exec(host.env.DOCKER_HOST ?? '')?.[1];
  const named = [host.env.SSH_AUTH_SOCK, docker, ...SOCKETS_AT_HOME.map((name) => join(home, name))];
  const mounts: Mount[] = [];
  for (const path of named) {
    if (path === undefined || !path.startsWith('/')) continue;
    const real = await host.files.realpath(path).catch(() => undefined);
    if (real === undefined || (await host.files.stat(real))?.kind !== 'other') continue;
    // Below these, nothing of the machine's own is visible anyway.
    if (!/^\/(?:run|tmp|dev|proc)\//.test(real)) mounts.push({ kind: 'hide-file', path: real });
  }
  return mounts;
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
