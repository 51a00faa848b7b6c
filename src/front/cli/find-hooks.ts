/** Finds the hooks that the project of a folder brings, in its settings and in the front matter of its agents. */

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
  /** In a folder that is not trusted yet, links out of it are not followed. */
  readonly isTrusted: boolean;
  readonly sources?: WantedSources;
};

/** Those of a trusted folder that are not approved as they are now, and so don't run. */
export async function findUnapproved(
  question: Omit<HooksQuery, 'isTrusted'>,
  read: Pick<SettingsResult, 'settings' | 'hooks' | 'agents' | 'entries'>,
): Promise<readonly ProjectHook[]> {
  const { host, projectRoot } = question;
  const { unapproved } = await reviewHooks(host, projectRoot, await hooksOf({ ...question, isTrusted: true }, read));
  return unapproved.map(({ hook }) => hook);
}

/** Hooks as they would run if the folder were trusted, and what they were found in. */
export async function findHooksHere(question: HooksQuery): Promise<HooksHere> {
  const { host, folder, projectRoot, sources } = question;
  const options = { host, cwd: folder, projectRoot, env: host.env, ...(sources ? { sources } : {}) };
  const settings = await readSettings({ ...options, trusted: true });
  const definitions = await definitionsOf(question, settings);
  return { hooks: await hooksIn(question, settings, definitions), definitions, settings };
}

type HooksHere = {
  readonly hooks: readonly ProjectHook[];
  readonly definitions: readonly AgentDefinition[];
  readonly settings: SettingsResult;
};

async function hooksOf(
  question: HooksQuery,
  read: Pick<SettingsResult, 'settings' | 'hooks' | 'agents' | 'entries'>,
): Promise<readonly ProjectHook[]> {
  if (read.settings.disableAllHooks === true) return [];
  return hooksIn(question, read, await definitionsOf(question, read));
}

/** Empty if the person switched all hooks off. */
async function hooksIn(
  { host, projectRoot }: HooksQuery,
  read: Pick<SettingsResult, 'settings' | 'hooks' | 'entries'>,
  definitions: readonly AgentDefinition[],
): Promise<readonly ProjectHook[]> {
  if (read.settings.disableAllHooks === true) return [];
  // The status line runs by itself as they do.
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
