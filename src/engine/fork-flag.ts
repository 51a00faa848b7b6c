/** Whether forks are to be had in a session. */

import type { Environment } from '../host/host.js';

export type ForkFlag = { readonly available: boolean; readonly switchedOff: boolean };

/** Unset: on where a person watches, off where nobody would see the children. Coordinators never fork. */
export function forkFlag(
  env: Environment,
  options: { readonly interactive: boolean; readonly coordinator: boolean; readonly flag?: 'on' | 'off' | undefined },
): ForkFlag {
  const named = NAMES.map((name) => env[name]).find((one) => one !== undefined && one.trim() !== '');
  const value = options.flag ?? named?.trim().toLowerCase();
  const off = value === 'off' || value === '0' || value === 'false';
  const on = value === 'on' || value === '1' || value === 'true';
  const switchedOff = off || options.coordinator;
  return { available: !switchedOff && (on || options.interactive), switchedOff };
}

const NAMES = ['COPPICE_FORK_SUBAGENT', 'FEATURE_FORK_SUBAGENT', 'CLAUDE_CODE_FORK_SUBAGENT'];
