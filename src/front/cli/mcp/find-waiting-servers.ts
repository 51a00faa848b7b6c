/** Finds the servers of a project that wait for approval, or only for trust. Loads code only if there may be any. */

import type { AgentDefinition } from '../../../config/definitions/agent-definition.js';
import type { UnapprovedServer } from '../../../config/mcp/find-unapproved-servers.js';
import { mayHaveServers } from '../../../config/mcp/has-servers.js';
import type { SettingsResult } from '../../../config/settings/read-settings.js';
import type { Host } from '../../../host/host.js';
import type { Flags } from '../flags.js';
import { optionsFromFlags } from '../options-from-flags.js';

export type WaitingQuery = {
  readonly host: Host;
  readonly flags: Flags;
  readonly folder: string;
  readonly projectRoot: string;
  readonly isTrusted: boolean;
  /** Read as if the folder were trusted. */
  readonly settings: SettingsResult;
  readonly definitions: readonly AgentDefinition[];
};

export type WaitingServers = {
  readonly unapproved: readonly UnapprovedServer[];
  /** Already approved; they run as soon as the folder is trusted. */
  readonly untrusted: readonly string[];
};

const NONE: WaitingServers = { unapproved: [], untrusted: [] };

export async function findWaitingServers(query: WaitingQuery): Promise<WaitingServers> {
  const { host, flags, folder, projectRoot, isTrusted, definitions } = query;
  if (flags.strictMcpConfig) return NONE;
  const isInline = definitions.some(({ mcpServers = [] }) => mcpServers.some(({ config }) => config !== undefined));
  if (!isInline && !(await mayHaveServers(query))) return NONE;
  const [{ findUnapprovedServers, findApprovedServers }, { readConfig }] = await Promise.all([
    import('../../../config/mcp/find-unapproved-servers.js'),
    import('../../../engine/open/read-config.js'),
  ]);
  // Flags are included: a server that they turn off is not asked about.
  const config = await readConfig({ ...optionsFromFlags(flags), trust: true }, host, projectRoot);
  // Problems of the settings are reported when the session opens.
  if (!config.ok) return NONE;
  const q = {
    host: config.host,
    ownEnv: config.ownEnv,
    folder,
    projectRoot,
    approvalsRoot: projectRoot,
    trusted: isTrusted,
    trustThisRun: false,
    settings: config.settings,
    ...(flags.settingSources ? { sources: flags.settingSources } : {}),
    ...(flags.mcpConfig ? { mcpConfig: flags.mcpConfig } : {}),
  };
  const unapproved = await findUnapprovedServers(q, definitions);
  return { unapproved, untrusted: isTrusted ? [] : await findApprovedServers(q) };
}
