/** Describes this machine's sandbox in one line, for `coppice doctor` and the start of a session. */

import type { Host } from '../../host/host.js';
import type { SandboxMode } from './confinement.js';
import { createSandbox, type SandboxStatus } from './sandbox.js';

export type SandboxDescription = { readonly state: 'ok' | 'note' | 'problem'; readonly found: string };

/** Runs a real probe. `mode` is the setting; undefined if there is none. */
export async function describeSandbox(host: Host, mode?: SandboxMode, platform?: string): Promise<SandboxDescription> {
  const sandbox = createSandbox({ host, mode: 'auto', roots: [host.folder], ...(platform ? { platform } : {}) });
  try {
    return describeStatus(await sandbox.status(), mode);
  } finally {
    await sandbox.close();
  }
}

/** `status` must come from a probed sandbox, whatever the current mode. */
export function describeStatus(status: SandboxStatus, mode: SandboxMode | undefined): SandboxDescription {
  switch (status.kind) {
    case 'off':
      return { state: 'note', found: 'off: Bash runs with your own rights, subject to permissions' };
    case 'on': {
      const works = `bubblewrap ${status.version} works (${status.found})`;
      if (mode === undefined || mode === 'off') return { state: 'ok', found: `${works}. ${unused(mode)}` };
      return { state: 'ok', found: `${works}, and Bash runs in it: your settings say "sandbox": "${mode}"` };
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

function unused(mode: 'off' | undefined): string {
  return mode === undefined
    ? 'Available but off. Turn it on with "sandbox": "auto" in settings.json.'
    : 'Bash does not run in it: your settings say "sandbox": "off"';
}
