/** The sandbox of this machine in one line, for `coppice doctor` and for the start of a session. */

import type { Host } from '../../host/host.js';
import type { SandboxMode } from './confinement.js';
import { createSandbox, type SandboxStatus } from './sandbox.js';

export type SandboxDescription = { readonly state: 'ok' | 'note' | 'problem'; readonly found: string };

/** Probes for real. `mode` is what the settings say. */
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

/** `status` is that of a sandbox that was probed, whatever the mode in force. */
export function describeStatus(status: SandboxStatus, mode: SandboxMode): SandboxDescription {
  switch (status.kind) {
    case 'off':
      return { state: 'note', found: 'off: Bash runs with your own rights, behind permissions' };
    case 'on': {
      const works = `bubblewrap ${status.version} works (${status.found})`;
      if (mode !== 'off') return { state: 'ok', found: `${works}; "sandbox": "${mode}" is set` };
      return { state: 'ok', found: `${works}; off: set "sandbox": "auto" to run Bash in it` };
    }
    case 'unavailable': {
      const reason = `none: ${status.reason}`;
      if (mode === 'required')
        return { state: 'problem', found: `${reason}. "sandbox": "required" is set: Bash is refused` };
      if (mode === 'auto') return { state: 'note', found: `${reason}. Bash runs without, with your own rights` };
      return { state: 'note', found: `${reason}. Bash runs with your own rights, behind permissions` };
    }
    default:
      return status satisfies never;
  }
}
