/** Servers in the words that clients of stream-json know. */

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

/** What a program or the command line gave is `dynamic`. */
export function serverScope({ scope }: ServerReport): string {
  return scope === 'library' || scope === 'command line' ? 'dynamic' : scope;
}

/** Only a program itself has servers in its process. */
export function serverSource(report: ServerReport): string {
  return report.transport === 'in-process' ? 'sdk' : serverScope(report);
}
