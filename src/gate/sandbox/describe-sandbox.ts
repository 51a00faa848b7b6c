/** Describes this machine's sandbox in one line, for `coppice doctor` and the start of a session. */

import type { Host } from '../../host/host.js';
import type { SandboxMode } from './confinement.js';
import { createSandbox, type SandboxStatus } from './sandbox.js';

export type SandboxDescription = { readonly state: 'ok' | 'note' | 'problem'; readonly found: string };

/** Runs a real probe. `mode` is the setting. */
export async function describeSandbox(
  host: Host,
  mode: SandboxMode = 'off',
  platform?: string,
): Promise<SandboxDescription> {
  const sandbox = createSandbox({ host, mode: 'auto', roots: [host.folder], ...(platform ? { platform } : {}) });
  try {
    return describeStatus(await sandbox.status(), mode);
  } finally {
    await sandbox.close();
  }
}

/** `status` must come from a probed sandbox, whatever the current mode. */
export function describeStatus(status: SandboxStatus, mode: SandboxMode): SandboxDescription {
  switch (status.kind) {
    case 'off':
      return { state: 'note', found: 'off: Bash runs with your own rights, subject to permissions' };
    case 'on': {
      const works = `bubblewrap ${status.version} works (${status.found})`;
      if (mode !== 'off') return { state: 'ok', found: `${works}; "sandbox": "${mode}" is set` };
      return { state: 'ok', found: `${works}; off: set "sandbox": "auto" to run Bash in it` };
    }
    case 'unavailable': {
      const reason = `none: ${status.reason}`;
      if (mode === 'required')
        return { state: 'problem', found: `${reason}. "sandbox": "required" is set: Bash is refused` };
      if (mode === 'auto') return { state: 'note', found: `${reason}. Bash runs without it, with your own rights` };
      return { state: 'note', found: `${reason}. Bash runs with your own rights, subject to permissions` };
    }
    default:
      return status satisfies never;
  }
}
