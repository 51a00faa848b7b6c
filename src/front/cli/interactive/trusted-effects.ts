/** Finds what takes effect once a project is trusted: settings that run or allow something, agents, skills, output styles (GT-2). */

import { join, relative } from 'node:path';
import { findDefinitionFiles } from '../../../config/definitions/find-definition-files.js';
import { foldersWithin } from '../../../config/find-repo-root.js';
import { shortPath } from '../../../config/path-within.js';
import { configDir } from '../../../config/paths.js';
import { describeSettings } from '../../../config/settings/describe-settings.js';
import { readSettings } from '../../../config/settings/read-settings.js';
import { isRead, type WantedSources } from '../../../config/settings/setting-sources.js';
import type { Host } from '../../../host/host.js';

export type TrustedEffect = {
  readonly file: string;
  /** What it would do, one line each. */
  readonly does: readonly string[];
};

export type TrustedEffectsQuery = {
  readonly host: Host;
  readonly folder: string;
  readonly projectRoot: string;
  readonly sources?: WantedSources;
};

export async function findTrustedEffects(query: TrustedEffectsQuery): Promise<readonly TrustedEffect[]> {
  const ofProject = isRead(query.sources, 'project')
    ? [
        trustedDefinitions(query, 'agents', 'agent'),
        trustedSkills(query),
        trustedDefinitions(query, 'output-styles', 'output style'),
      ]
    : [];
  const found = await Promise.all([trustedSettings(query), ...ofProject]);
  return found.flat();
}

/** Settings that need trust, with their values: a user can judge a command, not a file name. */
async function trustedSettings({
  host,
  folder,
  projectRoot,
  sources,
}: TrustedEffectsQuery): Promise<readonly TrustedEffect[]> {
  const options = { host, cwd: folder, projectRoot, env: host.env, ...(sources ? { sources } : {}) };
  const untrusted = await readSettings({ ...options, trusted: false });
  // Hooks, servers, plugins and the status line are left out: each is shown and approved individually.
  const isApprovedApart = (key: string) => ['hooks', 'mcpServers', 'plugins', 'statusLine'].includes(key);
  const ignored = untrusted.ignored.filter((one) => one.reason === 'untrusted' && !isApprovedApart(one.key));
  const keys = new Set(ignored.map((one) => one.key));
  if (keys.size === 0) return [];
  const rows = describeSettings(await readSettings({ ...options, trusted: true })).filter(
    ({ key, scope, state }) =>
      (scope === 'project' || scope === 'local') &&
      state === 'used' &&
      [...keys].some((name) => key === name || key.startsWith(`${name}.`)),
  );
  const files = new Map<string, string[]>();
  for (const { key, value, file } of rows) {
    const does = files.get(file) ?? [];
    files.set(file, [...does, `${key} = ${value}`]);
  }
  return [...files].map(([file, does]) => ({ file: shortPath(projectRoot, file), does }));
}

async function trustedDefinitions(
  { host, folder, projectRoot }: TrustedEffectsQuery,
  name: string,
  what: string,
): Promise<readonly TrustedEffect[]> {
  const own = join(configDir(host.env), name);
  const effects: TrustedEffect[] = [];
  for (const here of foldersWithin(projectRoot, folder)) {
    const definitions = join(here, '.claude', name);
    if (definitions === own) continue;
    const { files } = await findDefinitionFiles(host, definitions, { within: projectRoot });
    if (files.length === 0) continue;
    const does = files.map(({ file }) => `${what} ${relative(definitions, file)}`);
    effects.push({ file: shortPath(projectRoot, definitions), does });
  }
  return effects;
}

/** Skills that would be loaded if the folder were trusted, with what each would allow automatically. */
async function trustedSkills({
  host,
  folder,
  projectRoot,
  sources,
}: TrustedEffectsQuery): Promise<readonly TrustedEffect[]> {
  const { loadSkills } = await import('../../../config/skills/load-skills.js');
  const { skills } = await loadSkills({
    host,
    cwd: folder,
    repoRoot: projectRoot,
    userDir: configDir(host.env),
    addDirs: [],
    plugins: [],
    trusted: true,
    staysInside: true,
    overrides: {},
    sources,
  });
  const files = new Map<string, string[]>();
  for (const { name, kind, allowedTools, source } of skills.values()) {
    if (source.scope !== 'project') continue;
    const place = source.file.replace(/(\/\.claude\/(?:skills|commands))\/.*$/s, '$1');
    const allows = allowedTools.length > 0 ? `, allows while it is used: ${allowedTools.join(', ')}` : '';
    files.set(place, [...(files.get(place) ?? []), `${kind} ${name}${allows}`]);
  }
  return [...files].map(([file, does]) => ({ file: shortPath(projectRoot, file), does }));
}
