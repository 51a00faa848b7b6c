/** Finds the hooks that the project of a folder brings, in its settings and in the front matter of its agents. */

import { findProjectHooks, type ProjectHook, reviewHooks } from '../../config/approvals/project-hooks.js';
import { loadDefinitions } from '../../config/definitions/load-definitions.js';
import { configDir } from '../../config/paths.js';
import { readSettings, type SettingsResult } from '../../config/settings/read-settings.js';
import type { Host } from '../../host/host.js';

export type HooksQuestion = {
  readonly host: Host;
  readonly folder: string;
  readonly projectRoot: string;
  /** In a folder that is not trusted yet, links out of it are not followed. */
  readonly isTrusted: boolean;
  readonly sources?: readonly ('user' | 'project' | 'local')[];
};

/** Those of a trusted folder that are not approved as they are now, and so don't run. */
export async function findUnapproved(
  question: Omit<HooksQuestion, 'isTrusted'>,
  read: Pick<SettingsResult, 'settings' | 'hooks' | 'agents'>,
): Promise<readonly ProjectHook[]> {
  const { host, projectRoot } = question;
  const { unapproved } = await reviewHooks(host, projectRoot, await hooksOf({ ...question, isTrusted: true }, read));
  return unapproved.map(({ hook }) => hook);
}

/** As they would run if the folder were trusted. */
export async function findHooksHere(question: HooksQuestion): Promise<readonly ProjectHook[]> {
  const { host, folder, projectRoot, sources } = question;
  const options = { host, cwd: folder, projectRoot, env: host.env, ...(sources ? { sources } : {}) };
  return hooksOf(question, await readSettings({ ...options, trusted: true }));
}

/** Empty if the person switched all hooks off. */
async function hooksOf(
  { host, folder, projectRoot, isTrusted }: HooksQuestion,
  { settings, hooks, agents }: Pick<SettingsResult, 'settings' | 'hooks' | 'agents'>,
): Promise<readonly ProjectHook[]> {
  if (settings.disableAllHooks === true) return [];
  const { definitions } = await loadDefinitions({
    host,
    cwd: folder,
    repoRoot: projectRoot,
    userDir: configDir(host.env),
    settingsAgents: agents,
    trusted: true,
    staysInside: !isTrusted,
  });
  return findProjectHooks({ host, projectRoot, hooks, definitions: definitions.values() });
}
