/** What a session is, as the first line of `stream-json`. */

import type { SessionFacts } from '../../../engine/commands/session-facts.js';
import type { SkillReport } from '../../../engine/skills/report-skills.js';
import type { ServerReport } from '../../../protocol/mcp/server-report.js';
import type { PermissionMode } from '../../../protocol/permission.js';
import { SERVER_STATUS } from '../server-status.js';
import type { Line } from './line.js';

export type InitFacts = {
  readonly session: string;
  readonly cwd: string;
  readonly model: string;
  readonly mode: PermissionMode;
  readonly outputStyle: string;
  readonly tools: readonly string[];
  readonly servers: readonly ServerReport[];
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
    mcp_servers: servers.map(({ name, status, scope }) => ({ name, status: SERVER_STATUS[status], source: scope })),
    ...(servers.some(isSkipped) ? { mcp_server_errors: servers.filter(isSkipped).map(errorOf) } : {}),
    model: init.model,
    permissionMode: init.mode,
    slash_commands: skills.filter(({ forPerson }) => forPerson).map(({ name }) => name),
    apiKeySource: KEY_SOURCES[facts.keyFrom],
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

/** The names that clients know; they have none for a bearer token. */
const KEY_SOURCES: Readonly<Record<SessionFacts['keyFrom'], string>> = {
  key: 'ANTHROPIC_API_KEY',
  helper: 'apiKeyHelper',
  token: 'none',
  nowhere: 'none',
};

function isSkipped({ status }: ServerReport): boolean {
  return status === 'skipped' || status === 'blocked' || status === 'not-approved';
}

function errorOf({ name, scope, reason = '' }: ServerReport): object {
  return { name, scope, error: reason };
}
