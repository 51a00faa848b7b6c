/** Loads the servers that a session in the current folder would have. Starts none. */

import type { AgentDefinition } from '../../../config/definitions/agent-definition.js';
import { loadDefinitions } from '../../../config/definitions/load-definitions.js';
import type { ServersQuery } from '../../../config/mcp/read-servers.js';
import { configDir } from '../../../config/paths.js';
import { findSessionPlugins } from '../../../engine/open/find-plugins.js';
import { findFolder, readConfig } from '../../../engine/open/read-config.js';
import { explainOpenFailure } from '../explain-open-failure.js';

export type FolderFlags = { readonly trust?: boolean };

/** `trust`: as if the folder were trusted, and its servers approved. */
export async function inFolder(
  work: (query: ServersQuery) => Promise<number>,
  { trust = false }: FolderFlags = {},
): Promise<number> {
  const at = await findFolder({ cwd: process.cwd() });
  if (!at.ok) return explainOpenFailure(at);
  const projectRoot = at.repoRoot ?? at.folder;
  const config = await readConfig({ trust }, at.host, projectRoot);
  if (!config.ok) return explainOpenFailure(config);
  const { host, ownEnv, trusted, settings } = config;
  const place = { folder: at.folder, projectRoot, approvalsRoot: projectRoot };
  const { plugins } = await findSessionPlugins({ ...config, ...place, options: {} });
  return work({
    ...place,
    plugins,
    host,
    ownEnv,
    trusted,
    trustThisRun: trust,
    settings,
  });
}

/** Loads the agent definitions, which may have their own servers. */
export async function definitionsIn(query: ServersQuery): Promise<readonly AgentDefinition[]> {
  const { definitions } = await loadDefinitions({
    host: query.host,
    cwd: query.folder,
    repoRoot: query.projectRoot,
    userDir: configDir(query.host.env),
    settingsAgents: query.settings.agents,
    trusted: true,
    staysInside: !query.trusted,
  });
  return [...definitions.values()];
}
