/** The first line of `stream-json`: facts of the session. */

import type { SessionFacts } from '../../../engine/commands/session-facts.js';
import type { SkillReport } from '../../../engine/skills/report-skills.js';
import type { ServerReport } from '../../../protocol/mcp/server-report.js';
import type { PermissionMode } from '../../../protocol/permission.js';
import type { Line } from './line.js';
import { SERVER_STATUS, serverSource } from './server-status.js';

export type InitFacts = {
  readonly session: string;
  readonly cwd: string;
  readonly model: string;
  readonly mode: PermissionMode;
  readonly outputStyle: string;
  readonly tools: readonly string[];
  readonly servers: readonly ServerReport[];
  /** Names that can be typed after a slash. */
  readonly commands: readonly string[];
  readonly skills: readonly SkillReport[];
  readonly betas: readonly string[];
  readonly facts: SessionFacts;
};

export function initLine(init: InitFacts, uuid: string): Line {
  const { facts, servers, skills } = init;
  return {
    type: 'system',
    subtype: 'init',
    cwd: init.cwd,
    session_id: init.session,
    tools: init.tools,
    mcp_servers: servers.map((server) => ({
      name: server.name,
      status: SERVER_STATUS[server.status],
      source: serverSource(server),
    })),
    ...(servers.some(isSkipped) ? { mcp_server_errors: servers.filter(isSkipped).map(errorOf) } : {}),
    model: init.model,
    permissionMode: init.mode,
    slash_commands: init.commands,
    // Clients have no name for a bearer token: no key is in use.
    apiKeySource: facts.keyFrom === 'ANTHROPIC_AUTH_TOKEN' ? 'none' : facts.keyFrom,
    claude_code_version: facts.version,
    output_style: init.outputStyle,
    agents: facts.agents,
    skills: skills.filter(({ kind }) => kind === 'skill').map(({ name }) => name),
    plugins: facts.plugins,
    betas: init.betas,
    effort: facts.effort ?? null,
    capabilities: [],
    uuid,
  };
}

function isSkipped({ status }: ServerReport): boolean {
  return status === 'skipped' || status === 'blocked' || status === 'not-approved';
}

function errorOf({ name, scope, reason = '' }: ServerReport): object {
  return { name, scope, error: reason };
}
