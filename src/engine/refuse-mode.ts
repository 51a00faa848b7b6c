/** Whether a session may be in a mode: one check for opening it so and for switching to it later (GT-5). */

import { EFFORT_LEVELS } from '../config/settings/setting-shapes.js';
import { type Settings, settingOf } from '../config/settings/settings-table.js';
import type { Host } from '../host/host.js';
import { PERMISSION_MODES, type PermissionMode } from '../protocol/permission.js';

export type ModeFacts = {
  readonly host: Host;
  readonly settings: Settings;
  /** Opened in bypassPermissions, or so that it can be switched to it: only then can it be in that mode. */
  readonly allowsBypass: boolean;
};

/** The reason if it may not be in this mode. */
export function refuseMode(mode: PermissionMode, facts: ModeFacts): string | undefined {
  const reason = PERMISSION_MODES.includes(mode) ? whyNot(mode, facts) : 'there is no such mode.';
  return reason && `the mode can't be ${String(mode)}: ${reason} Use one of: ${modesFor(facts).join(', ')}.`;
}

/** The modes a session can be switched to. */
export function modesFor(facts: ModeFacts): readonly PermissionMode[] {
  return PERMISSION_MODES.filter((mode) => whyNot(mode, facts) === undefined);
}

function whyNot(mode: PermissionMode, { host, settings, allowsBypass }: ModeFacts): string | undefined {
  if (mode === 'bubble') return 'it is for children only.';
  if (mode !== 'bypassPermissions') return undefined;
  if (settingOf(settings, 'permissions.disableBypassPermissionsMode') !== false) return BYPASS_OFF;
  if (!allowsBypass) return BYPASS_LATE;
  return mayBypass(host, settings.sandbox) ? undefined : ROOT_BYPASS;
}

function mayBypass({ platform, env }: Host, sandbox: string | undefined): boolean {
  return !platform.isRoot || env.COPPICE_ALLOW_ROOT_BYPASS === '1' || sandbox === 'required';
}

const BYPASS_OFF =
  'it is switched off by permissions.disableBypassPermissionsMode in the settings (coppice config shows where).';

const BYPASS_LATE =
  'it must be asked for when the session is opened: --permission-mode or --allow-dangerously-skip-permissions on the command line, permissionMode or allowBypass in the library.';

const ROOT_BYPASS =
  'as root it would let every command do anything to this machine. Start as another user, set "sandbox": "required" in your settings, or set COPPICE_ALLOW_ROOT_BYPASS=1 if the machine is a throw-away one.';

export function refuseEffort(effort: string | undefined): string | undefined {
  if (effort === undefined || EFFORT_LEVELS.some((level) => level === effort)) return undefined;
  return `the effort must be one of ${EFFORT_LEVELS.join(', ')}`;
}
