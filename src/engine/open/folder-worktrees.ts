/** The worktrees of a folder without a session, for subcommands, with the trust, settings and hooks of a session. */

import { join } from 'node:path';
import { coppiceHome, projectFolder, projectKey } from '../../config/paths.js';
import type { WorktreesScope } from '../../features/worktrees/repository-worktrees.js';
import { createHooks } from '../../gate/hooks/hooks.js';
import { HookApprovals } from '../build/hook-approvals.js';
import type { OpenFailure } from '../session-options.js';
import { findFolder, readConfig } from './read-config.js';

export type FolderOptions = {
  /** One may be removed: loads the hooks to notify, and warns about those that don't run. */
  readonly removes: boolean;
  readonly warn: (line: string) => void;
};

export async function openFolderWorktrees(
  folder: string,
  { removes, warn }: FolderOptions,
): Promise<({ readonly ok: true } & WorktreesScope) | OpenFailure> {
  const at = await findFolder({ cwd: folder });
  if (!at.ok) return at;
  const projectRoot = at.repoRoot ?? at.folder;
  const config = await readConfig({}, at.host, projectRoot);
  if (!config.ok) return config;
  const { host, trusted, settings } = config;
  const approvals = new HookApprovals({ host, projectRoot, options: {} });
  const isOff = settings.settings.disableAllHooks === true;
  const own = settings.hooks.filter(({ event }) => removes && !isOff && event === 'WorktreeRemove');
  const { kept, unapproved } = await approvals.ofSettings(own);
  for (const { file } of unapproved) {
    warn(
      `the WorktreeRemove hook in ${file} is not approved, or has changed, so it does not run. Start coppice here in a terminal to review it`,
    );
  }
  const hooks = createHooks({
    host,
    projectDir: projectRoot,
    sources: kept.map(({ event, group, origin }) => ({ origin: origin.file, hooks: { [event]: [group] } })),
    base: () => ({ session_id: '', transcript_path: '', cwd: at.folder, permission_mode: 'default' }),
    warn,
    whyChanged: (command) => approvals.whyChanged(command),
    http: settings.settings,
  });
  const records = worktreeRecords(host.env, at.folder);
  return { ok: true, host, trusted, records, agents: [], hooks };
}

/** The folder of records outside any git repository. */
export function worktreeRecords(env: Parameters<typeof coppiceHome>[0], folder: string): string {
  return join(projectFolder(coppiceHome(env), projectKey(folder)), 'worktrees');
}
