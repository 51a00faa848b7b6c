/** Turns command-line flags into session options. */

import type { SessionOptions } from '../../engine/session-options.js';
import type { Flags } from './flags.js';

export function optionsFromFlags(flags: Flags): SessionOptions {
  return {
    ...pick(flags, 'model', 'effort', 'permissionMode', 'allowedTools', 'disallowedTools', 'systemPrompt'),
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
    ),
    resumeWaitMs: flags.backgroundWait * 1000,
    ...(flags.addDir ? { addDirs: flags.addDir } : {}),
    ...(flags.pluginDir ? { pluginDirs: flags.pluginDir } : {}),
    ...(flags.continue ? { resume: 'latest' } : {}),
    ...(typeof flags.resume === 'string' ? { resume: flags.resume } : {}),
    ...(flags.branch ? { branch: true } : {}),
    ...(flags.rewindTo === undefined ? {} : { rewind: { to: flags.rewindTo, part: flags.rewind ?? 'both' } }),
  };
}

function pick<K extends keyof Flags & keyof SessionOptions>(flags: Flags, ...names: K[]): Pick<SessionOptions, K> {
  return Object.fromEntries(
    names.filter((name) => flags[name] !== undefined).map((name) => [name, flags[name]]),
  ) as Pick<SessionOptions, K>;
}
