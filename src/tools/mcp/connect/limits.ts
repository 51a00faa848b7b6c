/** Time limits for a server (MC-14, MC-19). */

import type { ConfiguredServer } from '../../../config/mcp/server-config.js';
import type { Environment } from '../../../host/host.js';

export type Limits = {
  /** For one attempt to connect, or one page of a list. */
  readonly connectMs: number;
  /** For a whole call. */
  readonly callMs: number;
  /** For a call without answer or progress. Infinity: no limit. */
  readonly idleMs: number;
  /** From an HTTP request to the head of its response. */
  readonly firstByteMs: number;
};

const MINUTE = 60_000;
/** The maximum delay of a timer. */
export const LONGEST_MS = 2 ** 31 - 1;

export function readLimits({ config }: ConfiguredServer, env: Environment): Limits {
  const isRemote = config.kind === 'http' || config.kind === 'sse';
  const idle = readMs(env.CLAUDE_CODE_MCP_TOOL_IDLE_TIMEOUT) ?? (isRemote ? 5 : 30) * MINUTE;
  const ofEntry = config.timeoutMs === undefined ? undefined : Math.min(config.timeoutMs, LONGEST_MS);
  return {
    connectMs: readMs(env.MCP_TIMEOUT) || 30_000,
    callMs: (ofEntry ?? readMs(env.MCP_TOOL_TIMEOUT)) || 60 * MINUTE,
    idleMs: idle === 0 ? Number.POSITIVE_INFINITY : idle,
    // A server that answers in one piece is silent during the whole call: a longer limit in its entry is meant for
    // that.
    firstByteMs: Math.max(MINUTE, ofEntry ?? 0),
  };
}

/** Undefined unless it is a number of milliseconds. */
function readMs(text: string | undefined): number | undefined {
  return text !== undefined && /^\s*\d{1,15}\s*$/.test(text) ? Math.min(Number(text), LONGEST_MS) : undefined;
}
