/** What to ask for the skills of the current folder, as a session in it would. */

import { configDir, managedFolder } from '../../../config/paths.js';
import type { SkillsQuery } from '../../../config/skills/load-skills.js';
import { findSessionPlugins } from '../../../engine/open/find-plugins.js';
import { findFolder, readConfig } from '../../../engine/open/read-config.js';
import type { OpenFailure } from '../../../engine/session-options.js';

export type SkillsHere = { readonly ok: true; readonly question: SkillsQuery } | OpenFailure;

/** `trust`: as if the folder were trusted. */
export async function skillsQueryHere({ trust = false }: { readonly trust?: boolean }): Promise<SkillsHere> {
  const at = await findFolder({ cwd: process.cwd() });
  if (!at.ok) return at;
  const config = await readConfig({ trust }, at.host, at.repoRoot ?? at.folder);
  if (!config.ok) return config;
  const { host, ownEnv, trusted, settings } = config;
  const projectRoot = at.repoRoot ?? at.folder;
  const place = { host, folder: at.folder, projectRoot, approvalsRoot: projectRoot, trusted, settings };
  const found = await findSessionPlugins({ ...place, options: { trust } });
  return {
    ok: true,
    question: {
      host,
      cwd: at.folder,
      ...(at.repoRoot === undefined ? {} : { repoRoot: at.repoRoot }),
      userDir: configDir(ownEnv),
      managedDir: managedFolder(ownEnv),
      addDirs: settings.additionalDirectories.map(({ path }) => path),
      plugins: found.plugins,
      trusted,
      overrides: settings.settings.skillOverrides ?? {},
    },
  };
}
