/** Loads the plugins that a session in the current folder would have. Runs none. */

import { findPlugins, type PluginsQuery } from '../../../config/plugins/find-plugins.js';
import { type ReviewedPlugin, reviewPlugins } from '../../../config/plugins/plugin-approval.js';
import { loadSkills } from '../../../config/skills/load-skills.js';
import type { Skill } from '../../../config/skills/skill.js';
import { pluginsQuery } from '../../../engine/open/find-plugins.js';
import { findFolder, readConfig } from '../../../engine/open/read-config.js';
import { explainOpenFailure } from '../explain-open-failure.js';

export type PluginFlags = { readonly json?: boolean; readonly pluginDir?: readonly string[] };

export type PluginsHere = {
  readonly query: PluginsQuery;
  /** Includes proposals of a project that is not trusted. */
  readonly plugins: readonly ReviewedPlugin[];
  /** Their skills and commands, including overridden ones. */
  readonly skills: readonly Skill[];
  readonly trusted: boolean;
  readonly warnings: readonly string[];
  readonly errors: readonly string[];
};

export async function inFolder(
  { pluginDir = [] }: PluginFlags,
  work: (here: PluginsHere) => Promise<number>,
): Promise<number> {
  const at = await findFolder({ cwd: process.cwd() });
  if (!at.ok) return explainOpenFailure(at);
  const projectRoot = at.repoRoot ?? at.folder;
  const config = await readConfig({}, at.host, projectRoot);
  if (!config.ok) return explainOpenFailure(config);
  const { host, settings, trusted } = config;
  const place = { host, settings, folder: at.folder, projectRoot, approvalsRoot: projectRoot };
  // As if it were trusted: users may inspect proposals before they trust the folder.
  const query = pluginsQuery({ ...place, trusted: true, options: { pluginDirs: pluginDir } });
  const { plugins, warnings, errors } = await findPlugins(query);
  const reviewed = await reviewPlugins(query, plugins);
  const skills = await skillsOf(query, reviewed);
  return work({ query, plugins: reviewed, skills, trusted, warnings, errors });
}

/** `coppice skills list` reports their problems. */
async function skillsOf({ host, folder }: PluginsQuery, plugins: readonly ReviewedPlugin[]) {
  const read = plugins.map(({ read: one, isApproved }) => ({ ...one, isApproved }));
  const { skills, shadowed } = await loadSkills({
    host,
    cwd: folder,
    addDirs: [],
    plugins: read,
    trusted: false,
    overrides: {},
  });
  const all = [...skills.values(), ...shadowed.map(({ skill }) => skill)];
  return all.filter(({ source }) => source.plugin !== undefined);
}
