/** Turns command-line flags into session options. */

import type { SessionOptions } from '../../engine/session-options.js';
import type { Flags } from './flags.js';

export function optionsFromFlags(flags: Flags): SessionOptions {
  return {
    ...pick(
      flags,
      'model',
      'effort',
      'fallbackModel',
      'betas',
      'taskBudget',
      'permissionMode',
      'allowedTools',
      'disallowedTools',
      'systemPrompt',
    ),
    ...pick(
      flags,
      'appendSystemPrompt',
      'maxTurns',
      'maxUsd',
      'maxTokens',
      'sessionId',
      'agent',
      'agents',
      'fork',
      'coordinator',
      'settings',
      'settingSources',
      'trust',
      'mcpConfig',
      'strictMcpConfig',
      'worktree',
      'record',
      'replay',
      'debugFile',
    ),
    ...thinkingFrom(flags),
    ...(flags.dangerouslySkipPermissions ? { permissionMode: 'bypassPermissions' } : {}),
    ...(flags.allowDangerouslySkipPermissions ? { allowBypass: true } : {}),
    ...(Array.isArray(flags.tools) ? { builtInTools: flags.tools } : {}),
    ...(flags.maxBudgetUsd === undefined ? {} : { maxUsd: flags.maxBudgetUsd }),
    ...(flags.jsonSchema === undefined ? {} : { outputSchema: flags.jsonSchema }),
    ...(flags.sessionPersistence === false ? { persist: false } : {}),
    ...(flags.resumeSessionAt === undefined ? {} : { resumeAt: flags.resumeSessionAt }),
    ...(flags.includeHookEvents ? { hookEvents: true } : {}),
    ...(flags.outputFormat === 'stream-json' ? { toolResponses: true } : {}),
    resumeWaitMs: flags.backgroundWait * 1000,
    ...(flags.addDir ? { addDirs: flags.addDir } : {}),
    ...(flags.pluginDir ? { pluginDirs: flags.pluginDir } : {}),
    ...(flags.continue ? { resume: 'latest' } : {}),
    ...(typeof flags.resume === 'string' ? { resume: flags.resume } : {}),
    ...(flags.branch || flags.forkSession ? { branch: true } : {}),
    ...(flags.rewindTo === undefined ? {} : { rewind: { to: flags.rewindTo, part: flags.rewind ?? 'both' } }),
  };
}

function pick<K extends keyof Flags & keyof SessionOptions>(flags: Flags, ...names: K[]): Pick<SessionOptions, K> {
  return Object.fromEntries(
    names.filter((name) => flags[name] !== undefined).map((name) => [name, flags[name]]),
  ) as Pick<SessionOptions, K>;
}

/** A budget alone turns thinking on; 0 turns it off. */
function thinkingFrom(flags: Flags): Pick<SessionOptions, 'thinking'> {
  const { maxThinkingTokens: budgetTokens, thinkingDisplay: display } = flags;
  const type = flags.thinking ?? (budgetTokens === undefined ? undefined : budgetTokens === 0 ? 'disabled' : 'enabled');
  if (type === undefined) return display === undefined ? {} : { thinking: { type: 'adaptive', display } };
  const budget = budgetTokens === undefined || type === 'disabled' ? {} : { budgetTokens };
  return { thinking: { type, ...budget, ...(display === undefined ? {} : { display }) } };
}
