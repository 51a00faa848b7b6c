/** Finds what takes effect once a project is trusted: settings that run or allow something, agents, skills (GT-2). */

import { join, relative } from 'node:path';
import { findDefinitionFiles } from '../../../config/definitions/find-definition-files.js';
import { foldersUpward } from '../../../config/find-repo-root.js';
import { configDir } from '../../../config/paths.js';
import { describeSettings } from '../../../config/settings/describe-settings.js';
import { readSettings } from '../../../config/settings/read-settings.js';
import { findSkillFiles } from '../../../config/skills/find-skill-files.js';
import type { Host } from '../../../host/host.js';

export type ActingFile = {
  readonly file: string;
  /** What it would do, one line each. */
  readonly does: readonly string[];
};

export type ActingQuestion = {
  readonly host: Host;
  readonly folder: string;
  readonly projectRoot: string;
  readonly sources?: readonly ('user' | 'project' | 'local')[];
};

export async function findActingFiles(question: ActingQuestion): Promise<readonly ActingFile[]> {
  const [settings, agents, skills] = await Promise.all([
    actingSettings(question),
    actingAgents(question),
    actingSkills(question),
  ]);
  return [...settings, ...agents, ...skills];
}

/** Settings that need trust, with their values: a person can judge a command, not a file name. */
async function actingSettings({ host, folder, projectRoot, sources }: ActingQuestion): Promise<readonly ActingFile[]> {
  const options = { host, cwd: folder, projectRoot, env: host.env, ...(sources ? { sources } : {}) };
  const untrusted = await readSettings({ ...options, trusted: false });
  // Hooks, servers, plugins and the status line are shown one by one, because each is approved for itself.
  const isForItself = (key: string) => ['hooks', 'mcpServers', 'plugins', 'statusLine'].includes(key);
  const ignored = untrusted.ignored.filter((one) => one.reason === 'untrusted' && !isForItself(one.key));
  const keys = new Set(ignored.map((one) => one.key));
  if (keys.size === 0) return [];
  const rows = describeSettings(await readSettings({ ...options, trusted: true })).filter(
    ({ key, scope, state }) =>
      (scope === 'project' || scope === 'local') &&
      (state === 'used' || state === 'not yet') &&
      [...keys].some((name) => key === name || key.startsWith(`${name}.`)),
  );
  const files = new Map<string, string[]>();
  for (const { key, value, file } of rows) {
    const does = files.get(file) ?? [];
    files.set(file, [...does, `${key} = ${value}`]);
  }
  return [...files].map(([file, does]) => ({ file: shorter(projectRoot, file), does }));
}

async function actingAgents({ host, folder, projectRoot }: ActingQuestion): Promise<readonly ActingFile[]> {
  const upward = foldersUpward(folder);
  const own = join(configDir(host.env), 'agents');
  const acting: ActingFile[] = [];
  for (const here of upward.slice(0, upward.indexOf(projectRoot) + 1)) {
    const agents = join(here, '.claude', 'agents');
    if (agents === own) continue;
    const { files } = await findDefinitionFiles(host, agents, { within: projectRoot });
    if (files.length === 0) continue;
    const does = files.map(({ file }) => `agent ${relative(agents, file)}`);
    acting.push({ file: shorter(projectRoot, agents), does });
  }
  return acting;
}

/** Who types the name of one has what it allows: their names are shown, and none is read. */
async function actingSkills({ host, folder, projectRoot }: ActingQuestion): Promise<readonly ActingFile[]> {
  const upward = foldersUpward(folder);
  const acting: ActingFile[] = [];
  for (const here of upward.slice(0, upward.indexOf(projectRoot) + 1)) {
    for (const kind of ['skill', 'command'] as const) {
      const place = join(here, '.claude', `${kind}s`);
      if (place === join(configDir(host.env), `${kind}s`)) continue;
      const { files } = await findSkillFiles(host, { kind, folder: place, within: projectRoot });
      if (files.length === 0) continue;
      const does = files.map(({ file }) => `${kind} ${relative(place, file)}`);
      acting.push({ file: shorter(projectRoot, place), does });
    }
  }
  return acting;
}

function shorter(root: string, file: string): string {
  const path = relative(root, file);
  return path.startsWith('..') ? file : path;
}
