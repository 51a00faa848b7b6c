/** Finds the hooks of a project, in its settings and in the front matter of its agents. */

import { statusLineHooks } from '../../config/approvals/approve-status-line.js';
import { findProjectHooks, type ProjectHook, reviewHooks } from '../../config/approvals/project-hooks.js';
import type { AgentDefinition } from '../../config/definitions/agent-definition.js';
import { loadDefinitions } from '../../config/definitions/load-definitions.js';
import { configDir } from '../../config/paths.js';
import { readSettings, type SettingsResult } from '../../config/settings/read-settings.js';
import type { WantedSources } from '../../config/settings/setting-sources.js';
import type { Host } from '../../host/host.js';

export type HooksQuery = {
  readonly host: Host;
  readonly folder: string;
  readonly projectRoot: string;
  /** If false, links out of the folder are not followed. */
  readonly isTrusted: boolean;
  readonly sources?: WantedSources;
};

/** Finds the hooks of a trusted folder that are not approved in their current form, and so don't run. */
export async function findUnapproved(
  query: Omit<HooksQuery, 'isTrusted'>,
  read: Pick<SettingsResult, 'settings' | 'hooks' | 'agents' | 'entries'>,
): Promise<readonly ProjectHook[]> {
  const { host, projectRoot } = query;
  const { unapproved } = await reviewHooks(host, projectRoot, await hooksOf({ ...query, isTrusted: true }, read));
  return unapproved.map(({ hook }) => hook);
}

/** Finds the hooks that would run if the folder were trusted, with the settings and definitions they come from. */
export async function findHooksHere(query: HooksQuery): Promise<HooksHere> {
  const { host, folder, projectRoot, sources } = query;
  const options = { host, cwd: folder, projectRoot, env: host.env, ...(sources ? { sources } : {}) };
  const settings = await readSettings({ ...options, trusted: true });
  const definitions = await definitionsOf(query, settings);
  return { hooks: await hooksIn(query, settings, definitions), definitions, settings };
}

type HooksHere = {
  readonly hooks: readonly ProjectHook[];
  readonly definitions: readonly AgentDefinition[];
  readonly settings: SettingsResult;
};

async function hooksOf(
  query: HooksQuery,
  read: Pick<SettingsResult, 'settings' | 'hooks' | 'agents' | 'entries'>,
): Promise<readonly ProjectHook[]> {
  if (read.settings.disableAllHooks === true) return [];
  return hooksIn(query, read, await definitionsOf(query, read));
}

/** Empty if the user has turned all hooks off. */
async function hooksIn(
  { host, projectRoot }: HooksQuery,
  read: Pick<SettingsResult, 'settings' | 'hooks' | 'entries'>,
  definitions: readonly AgentDefinition[],
): Promise<readonly ProjectHook[]> {
  if (read.settings.disableAllHooks === true) return [];
  // The status line runs automatically, too.
  const hooks = [...read.hooks, ...statusLineHooks(read)];
  return findProjectHooks({ host, projectRoot, hooks, definitions });
}

async function definitionsOf(
  { host, folder, projectRoot, isTrusted, sources }: HooksQuery,
  { agents }: Pick<SettingsResult, 'agents'>,
): Promise<readonly AgentDefinition[]> {
  const { definitions } = await loadDefinitions({
    host,
    cwd: folder,
    repoRoot: projectRoot,
    userDir: configDir(host.env),
    settingsAgents: agents,
    trusted: true,
    staysInside: !isTrusted,
    sources,
  });
  return [...definitions.values()];
}
