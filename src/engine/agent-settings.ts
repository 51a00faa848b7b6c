/** What settings, flags and the environment say about children. */

import type { AgentSettings } from '../agents/runtime.js';
import type { Host } from '../host/host.js';
import type { PermissionMode } from '../protocol/permission.js';
import { forkFlag } from './fork-flag.js';
import type { RuntimeInput } from './runtime-input.js';
import type { SessionOptions } from './session-options.js';

export const DEFAULTS = {
  maxOutputTokens: 32_000,
  maxConcurrentAgents: 20,
  maxDepth: 3,
  resultLimit: 32_000,
  stallMs: 600_000,
  warmupMs: 2_000,
  autoBackgroundMs: 120_000,
} as const;

export function agentSettings(
  { options, host, settings: { settings } }: RuntimeInput,
  startMode: PermissionMode,
  mode: () => PermissionMode,
  isTypeDenied: (type: string) => boolean,
  ask: SessionOptions['onPermission'],
): AgentSettings {
  const interactive = options.interactive ?? false;
  const coordinator = options.coordinator ?? isSet(host.env.COPPICE_COORDINATOR);
  const fork = forkFlag(host.env, { interactive, coordinator, flag: options.fork });
  return {
    maxDepth: settings.maxDepth ?? DEFAULTS.maxDepth,
    forkAvailable: fork.available,
    forkSwitchedOff: fork.switchedOff,
    backgroundAvailable: !isSet(host.env.COPPICE_DISABLE_BACKGROUND),
    forceBackground: coordinator || (settings.forceBackground ?? false),
    autoBackgroundMs: settings.autoBackgroundMs ?? (interactive ? DEFAULTS.autoBackgroundMs : 0),
    handoffCheck: settings.handoffCheck,
    coordinator,
    childrenThink: settings.subagents?.thinking ?? false,
    childrenInheritMode: settings.subagents?.permissionMode === 'inherit',
    definitionHooks: settings.disableAllHooks !== true,
    startedBypassed: startMode === 'bypassPermissions',
    interactive,
    resultLimit: settings.subagents?.resultLimit ?? DEFAULTS.resultLimit,
    stallMs: settings.stallMs ?? DEFAULTS.stallMs,
    editsAgreed: settings.subagents?.allowEdits,
    askAboutEdits: ask && ((signal) => askAboutEdits(ask, host, signal)),
    isTypeDenied,
    mode,
  };
}

/** Asked once: the person's answer holds for all agents of the session. */
async function askAboutEdits(
  ask: NonNullable<SessionOptions['onPermission']>,
  host: Host,
  signal: AbortSignal,
): Promise<boolean> {
  const answer = await ask(
    {
      id: host.newId(),
      agent: { id: 'main', type: 'main', depth: 0 },
      call: { id: 'agents-edit', tool: 'Agent', input: { agentsMayEdit: host.folder } },
      cwd: host.folder,
      reason: 'May agents change files in this folder without asking for each change? (no: each change is asked for)',
      destroys: [],
    },
    signal,
  );
  return answer.behavior === 'allow';
}

function isSet(value: string | undefined): boolean {
  return value === '1' || value?.toLowerCase() === 'true';
}
