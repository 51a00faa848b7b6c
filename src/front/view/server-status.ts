/** How a server stands, in the words that clients of stream-json know. */

import type { ServerReport } from '../../protocol/mcp/server-report.js';

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
