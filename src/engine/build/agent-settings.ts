/** What settings, flags and the environment say about children. */

import type { AgentSettings, HandOffCheck } from '../../agents/runtime.js';
import type { Environment } from '../../host/host.js';
import { isModelName, type ModelOverrides, resolveModel } from '../../model/models.js';
import type { SessionConfig } from './session-config.js';

export const DEFAULTS = {
  maxOutputTokens: 32_000,
  maxConcurrentAgents: 20,
  maxDepth: 3,
  resultLimit: 32_000,
  stallMs: 600_000,
  warmupMs: 2_000,
  autoBackgroundMs: 120_000,
  maxOverlayBytes: 50 * 1024 * 1024,
} as const;

export function agentSettings({ options, host, mode, models, settings: { settings } }: SessionConfig): AgentSettings {
  const interactive = options.interactive ?? false;
  const coordinator = options.coordinator ?? isSet(host.env.COPPICE_COORDINATOR);
  // Without a conversation there is nothing to fork.
  const onlyCalls = options.onlyCalls === true;
  const flag = onlyCalls ? 'off' : options.fork;
  const fork = forkFlag(host.env, { interactive, coordinator, flag });
  return {
    maxDepth: settings.maxDepth ?? DEFAULTS.maxDepth,
    maxTurns: options.maxTurns ?? Number.POSITIVE_INFINITY,
    forkAvailable: fork.available,
    forkSwitchedOff: fork.switchedOff,
    onlyCalls,
    builtInTools: options.builtInTools,
    backgroundAvailable: !onlyCalls && !isSet(host.env.COPPICE_DISABLE_BACKGROUND),
    forceBackground: coordinator || (settings.forceBackground ?? false),
    autoBackgroundMs: settings.autoBackgroundMs ?? (interactive ? DEFAULTS.autoBackgroundMs : 0),
    siblings: settings.fork?.siblings ?? 'auto',
    handoffCheck: readHandOffCheck(settings.handoffCheck, models),
    coordinator,
    skillShell: settings.disableSkillShellExecution !== true,
    childrenThink: settings.subagents?.thinking ?? false,
    childrenInheritMode: settings.subagents?.permissionMode === 'inherit',
    definitionHooks: settings.disableAllHooks !== true,
    startedBypassed: mode === 'bypassPermissions',
    interactive,
    resultLimit: settings.subagents?.resultLimit ?? DEFAULTS.resultLimit,
    stallMs: settings.stallMs ?? DEFAULTS.stallMs,
    worktree: {
      includeDirty: settings.worktree?.includeDirty,
      sparsePaths: settings.worktree?.sparsePaths ?? [],
      symlinkDirectories: settings.worktree?.symlinkDirectories ?? [],
      maxOverlayBytes: settings.worktree?.maxOverlayBytes ?? DEFAULTS.maxOverlayBytes,
    },
  };
}

const MODEL_PREFIX = 'model:';

/** A known name of a model, or anything after `model:`, means a model; the rest is a command line. */
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
