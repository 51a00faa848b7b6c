/** Turns command-line flags into session options. */

import type { SessionOptions } from '../../engine/session-options.js';
import { FLAGS, type Flags } from './flags.js';

export function optionsFromFlags(flags: Flags): SessionOptions {
  return {
    ...sameValues(flags),
    ...thinkingFrom(flags),
    ...(flags.dangerouslySkipPermissions ? { permissionMode: 'bypassPermissions' } : {}),
    ...(Array.isArray(flags.tools) ? { builtInTools: flags.tools } : {}),
    ...(flags.sessionPersistence === false ? { persist: false } : {}),
    ...(flags.outputFormat === 'stream-json' ? { toolResponses: true } : {}),
    resumeWaitMs: flags.backgroundWait * 1000,
    ...(flags.continue ? { resume: 'latest' } : {}),
    ...(typeof flags.resume === 'string' ? { resume: flags.resume } : {}),
    ...(flags.rewindTo === undefined ? {} : { rewind: { to: flags.rewindTo, part: flags.rewind ?? 'both' } }),
  };
}

/** Flags whose rows name the option they set. */
function sameValues(flags: Flags): SessionOptions {
  const given = Object.entries<unknown>(flags).flatMap(([name, value]) => {
    const sets = Object.hasOwn(FLAGS, name) ? FLAGS[name as keyof typeof FLAGS].sets : undefined;
    return sets === undefined || value === undefined ? [] : [[sets, value] as const];
  });
  return Object.fromEntries(given);
}

/** A budget alone turns thinking on; 0 turns it off. */
function thinkingFrom(flags: Flags): Pick<SessionOptions, 'thinking'> {
  const { maxThinkingTokens: budgetTokens, thinkingDisplay: display } = flags;
  const type = flags.thinking ?? (budgetTokens === undefined ? undefined : budgetTokens === 0 ? 'disabled' : 'enabled');
  if (type === undefined) return display === undefined ? {} : { thinking: { type: 'adaptive', display } };
  const budget = budgetTokens === undefined || type === 'disabled' ? {} : { budgetTokens };
  return { thinking: { type, ...budget, ...(display === undefined ? {} : { display }) } };
}
