/** Describes MCP servers as lines. */

import { escapeControls, escapeToLine } from '../../../protocol/escape-controls.js';
import { plural } from '../../../protocol/format-numbers.js';
import type { ServerReport } from '../../../protocol/mcp/server-report.js';

const WORDS: Readonly<Record<ServerReport['status'], string>> = {
  connecting: 'connecting',
  connected: 'connected',
  failed: 'failed',
  'needs-sign-in': 'sign-in required',
  off: 'disabled',
  'not-approved': 'not approved',
  blocked: 'blocked',
  skipped: 'not usable',
};

export function describeServers(servers: readonly ServerReport[]): readonly string[] {
  if (servers.length === 0) return ['No MCP servers are configured here (coppice mcp add --help).'];
  const tokens = servers.reduce((sum, one) => sum + one.tokens, 0);
  const total = tokens === 0 ? [] : [`Together their tools take about ${plural(tokens, 'token')} of each request.`];
  return [...servers.flatMap(describeServer), ...total];
}

export function describeServer(server: ServerReport): readonly string[] {
  const { name, scope, transport, status, tools, tokens, reason, stderr } = server;
  const offered = plural(tools.length, 'tool');
  const what = status === 'connected' ? ` · ${offered}, about ${plural(tokens, 'token')}` : '';
  return [
    escapeToLine(`${name}: ${WORDS[status]}${what} (${transport}, ${scope})`),
    ...(reason === undefined ? [] : [escapeToLine(`  ${reason}`)]),
    ...(stderr === undefined || stderr.trim() === ''
      ? []
      : [
          '  last output:',
          ...escapeControls(stderr.trim())
            .split('\n')
            .map((line) => `  | ${line}`),
        ]),
  ];
}
