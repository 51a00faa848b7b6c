/** Describes this machine's sandbox in one line each: for `coppice doctor` and the start of a session. */

import type { Host } from '../../host/host.js';
import { createSandbox } from './create-sandbox.js';
import type { SandboxStatus } from './sandbox.js';

export type SandboxDescription = { readonly state: 'ok' | 'note' | 'problem'; readonly found: string };

/** Runs a real probe. Not for commands: it is closed at once. */
export async function findStatus(host: Host, platform?: string): Promise<SandboxStatus> {
  const sandbox = createSandbox({ host, roots: [host.folder], ...(platform ? { platform } : {}) });
  try {
    return await sandbox.status();
  } finally {
    await sandbox.close();
  }
}

/** For the setting `sandbox`; undefined if it is not set. */
export function describeSandbox(
  status: SandboxStatus,
  mode: 'off' | 'auto' | 'required' | undefined,
): SandboxDescription {
  const missing = missingFor(status);
  if (missing === undefined && status.kind === 'on') {
    const works = `works (${status.found})`;
    if (mode === undefined)
      return {
        state: 'ok',
        found: `${works}. Available but off. Turn it on with "sandbox": "auto" in settings.json.`,
      };
    if (mode === 'off') {
      return { state: 'ok', found: `${works}. Bash does not run in it: your settings say "sandbox": "off"` };
    }
    return { state: 'ok', found: `${works}, and Bash runs in it: your settings say "sandbox": "${mode}"` };
  }
  const reason = `none: ${missing}`;
  if (mode === 'required')
    return { state: 'problem', found: `${reason}. "sandbox": "required" is set: Bash is refused` };
  if (mode === 'auto') return { state: 'note', found: `${reason}. Bash runs without it, with your own rights` };
  return { state: 'note', found: `${reason}. Bash runs with your own rights, subject to permissions` };
}

/** For the setting `confineReads`, which also covers what rules and `acceptEdits` allow. */
export function describeLimits(status: SandboxStatus, mode: 'auto' | 'off'): SandboxDescription {
  if (status.kind === 'unavailable') {
    return { state: 'note', found: `none: ${status.reason}. More commands ask before they run` };
  }
  const off = mode === 'off' ? '. "confineReads": "off" is set: they don’t' : '';
  const rules = status.confines === 'all' ? '; commands that a rule allows can’t change what is protected' : '';
  return {
    state: 'ok',
    found: `commands that only read can run without a question in a sandbox${rules} (${status.found})${off}`,
  };
}

function missingFor(status: SandboxStatus): string | undefined {
  if (status.kind === 'unavailable') return status.reason;
  return status.confines === 'all' ? undefined : 'on this system it is only for commands that read';
}
