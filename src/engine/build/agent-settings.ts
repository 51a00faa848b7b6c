/** The settings for children, from settings files, flags and the environment. */

import type { AgentSettings, HandOffCheck } from '../../agents/runtime.js';
import { settingOf } from '../../config/settings/settings-table.js';
import type { Environment } from '../../host/host.js';
import { isModelName, type ModelOverrides, resolveModel } from '../../model/models.js';
import type { SessionConfig } from './session-config.js';

/** In interactive sessions; elsewhere children run in the foreground. */
const AUTO_BACKGROUND_MS = 120_000;

export function agentSettings({ options, host, mode, models, settings: { settings } }: SessionConfig): AgentSettings {
  const interactive = options.interactive ?? false;
  const coordinator = options.coordinator ?? isSet(host.env.COPPICE_COORDINATOR);
  // Without a conversation there is nothing to fork.
  const onlyCalls = options.onlyCalls === true;
  const flag = onlyCalls ? 'off' : options.fork;
  const fork = forkFlag(host.env, { interactive, coordinator, flag });
  return {
    maxDepth: settingOf(settings, 'maxDepth'),
    maxTurns: options.maxTurns ?? Number.POSITIVE_INFINITY,
    forkAvailable: fork.available,
    forkSwitchedOff: fork.switchedOff,
    onlyCalls,
    builtInTools: options.builtInTools,
    backgroundAvailable: !onlyCalls && !isSet(host.env.COPPICE_DISABLE_BACKGROUND),
    forceBackground: coordinator || settingOf(settings, 'forceBackground'),
    autoBackgroundMs: settings.autoBackgroundMs ?? (interactive ? AUTO_BACKGROUND_MS : 0),
    siblings: settingOf(settings, 'fork.siblings'),
    handoffCheck: readHandOffCheck(settings.handoffCheck, models),
    coordinator,
    skillShell: !settingOf(settings, 'disableSkillShellExecution'),
    childrenThink: settingOf(settings, 'subagents.thinking'),
    childrenInheritMode: settingOf(settings, 'subagents.permissionMode') === 'inherit',
    definitionHooks: !settingOf(settings, 'disableAllHooks'),
    startedBypassed: mode === 'bypassPermissions',
    interactive,
    resultLimit: settingOf(settings, 'subagents.resultLimit'),
    stallMs: settingOf(settings, 'stallMs'),
    worktree: {
      includeDirty: settings.worktree?.includeDirty,
      sparsePaths: settings.worktree?.sparsePaths ?? [],
      symlinkDirectories: settings.worktree?.symlinkDirectories ?? [],
      maxOverlayBytes: settingOf(settings, 'worktree.maxOverlayBytes'),
    },
  };
}

const MODEL_PREFIX = 'model:';

/** A known model name, or anything after `model:`, is a model; the rest is a command line. */
export function readHandOffCheck(setting: string | undefined, models: ModelOverrides): HandOffCheck | undefined {
  const named = setting?.trim() ?? '';
  if (named === '') return undefined;
  if (named.toLowerCase().startsWith(MODEL_PREFIX)) {
    return { model: resolveModel(named.slice(MODEL_PREFIX.length), models) };
  }
  return isModelName(named, models) ? { model: resolveModel(named, models) } : { command: named };
}

function isSet(value: string | undefined): boolean {
  return value === '1' || value?.toLowerCase() === 'true';
}

export type ForkFlag = { readonly available: boolean; readonly switchedOff: boolean };

/** Unset: on in interactive sessions, off where nobody sees the children. Coordinators never fork. */
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
