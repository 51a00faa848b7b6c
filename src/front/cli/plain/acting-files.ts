/** Finds what takes effect once a project is trusted: settings that run or allow something, agents, skills, commands, styles (GT-2). */

import { dirname, join, relative } from 'node:path';
import { findDefinitionFiles } from '../../../config/definitions/find-definition-files.js';
import { foldersUpward } from '../../../config/find-repo-root.js';
import { configDir } from '../../../config/paths.js';
import { describeSettings } from '../../../config/settings/describe-settings.js';
import { readSettings } from '../../../config/settings/read-settings.js';
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
  const [settings, defined] = await Promise.all([actingSettings(question), actingDefinitions(question)]);
  return [...settings, ...defined];
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

/** Texts that the model follows, or is made of: nothing of them counts before. */
const DEFINED = [
  { folder: 'agents', named: (path: string) => `agent ${path}` },
  {
    folder: 'skills',
    named: (path: string) => (/(^|\/)SKILL\.md$/i.test(path) ? `skill ${dirname(path)}` : undefined),
  },
  { folder: 'commands', named: (path: string) => `command ${path}` },
  { folder: 'output-styles', named: (path: string) => `output style ${path}` },
] as const;

async function actingDefinitions({ host, folder, projectRoot }: ActingQuestion): Promise<readonly ActingFile[]> {
  const upward = foldersUpward(folder);
  const acting: ActingFile[] = [];
  for (const here of upward.slice(0, upward.indexOf(projectRoot) + 1)) {
    for (const { folder: name, named } of DEFINED) {
      const defined = join(here, '.claude', name);
      if (defined === join(configDir(host.env), name)) continue;
      const { files } = await findDefinitionFiles(host, defined, { within: projectRoot });
      const does = files.map(({ file }) => named(relative(defined, file))).filter((one) => one !== undefined);
      if (does.length > 0) acting.push({ file: shorter(projectRoot, defined), does });
    }
  }
  return acting;
}

function shorter(root: string, file: string): string {
  const path = relative(root, file);
  return path.startsWith('..') ? file : path;
}
