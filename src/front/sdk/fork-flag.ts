/** Whether forks are to be had in a session. */

import type { Environment } from '../../host/host.js';

export type ForkFlag = { readonly available: boolean; readonly switchedOff: boolean };

/** Unset: on where a person watches, off where nobody would see the children. Coordinators never fork. */
export function forkFlag(
  env: Environment,
  options: { readonly interactive: boolean; readonly coordinator: boolean; readonly flag?: 'on' | 'off' | undefined },
): ForkFlag {
  const named = env.COPPICE_FORK_SUBAGENT ?? env.FEATURE_FORK_SUBAGENT ?? env.CLAUDE_CODE_FORK_SUBAGENT;
  const value = options.flag ?? named?.trim().toLowerCase();
  const off = value === 'off' || value === '0' || value === 'false';
  const on = value === 'on' || value === '1' || value === 'true';
  return { available: !options.coordinator && !off && (on || options.interactive), switchedOff: off };
}
