/** Server status and scope in the terms of `stream-json` clients. */

import type { ServerReport } from '../../../protocol/mcp/server-report.js';

export const SERVER_STATUS: Readonly<Record<ServerReport['status'], string>> = {
  connecting: 'pending',
  connected: 'connected',
  failed: 'failed',
  'needs-sign-in': 'needs-auth',
  off: 'disabled',
  'not-approved': 'disabled',
  blocked: 'disabled',
  skipped: 'failed',
};

/** Servers from a program or the command line are `dynamic`. */
export function serverScope({ scope }: ServerReport): string {
  return scope === 'library' || scope === 'command line' ? 'dynamic' : scope;
}

/** Only a program has servers in its own process. */
export function serverSource(report: ServerReport): string {
  return report.transport === 'in-process' ? 'sdk' : serverScope(report);
}
