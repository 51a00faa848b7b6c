/** The environment of a command in the sandbox of the setting `sandbox`. */

import type { Environment } from '../../host/host.js';
import { isOwnKey } from '../../host/programs/process-environment.js';

/** The command's environment without our keys and without the addresses of what is hidden. */
export function sandboxEnvironment(env: Environment): Environment {
  const kept = Object.entries(env).filter(([name]) => {
    if (name.startsWith('ANTHROPIC_') || isOwnKey(name)) return env.COPPICE_KEEP_KEYS === '1';
    return !/^(?:SSH_AUTH_SOCK|SSH_AGENT_PID|DBUS_SESSION_BUS_ADDRESS|XDG_RUNTIME_DIR|DOCKER_HOST|COPPICE_KEEP_KEYS)$/.test(
      name,
    );
  });
  return { ...Object.fromEntries(kept), TMPDIR: '/tmp', COPPICE_SANDBOX: '1' };
}
