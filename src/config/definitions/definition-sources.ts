/** Where definitions come from, highest first (AG-4). */

import { join } from 'node:path';
import type { Host } from '../../host/host.js';
import { foldersUpward } from '../find-repo-root.js';
import type { SourcedAgent } from '../settings/collect-sources.js';
import type { DefinitionSource } from './agent-definition.js';

export type DefinitionsQuestion = {
  readonly host: Host;
  readonly cwd: string;
  /** Undefined outside a repository: only the working folder's own `.claude/agents` counts then. */
  readonly repoRoot?: string;
  /** The person's config folder (`~/.claude`). Undefined: not read. */
  readonly userDir?: string;
  /** The value of `--agents`: JSON text or an object. */
  readonly flagAgents?: unknown;
  /** The `agents` keys of all settings files, as `readSettings` gives them. */
  readonly settingsAgents?: readonly SourcedAgent[];
  readonly plugins?: readonly { readonly name: string; readonly folder: string }[];
  /** Another folder of definitions to read, above the project's. */
  readonly folders?: readonly string[];
  /** Whether the project is trusted. If not, what acts is taken out of its definitions and they replace no others. */
  readonly trusted: boolean;
};

export type RankedSource =
  | {
      readonly kind: 'folder';
      readonly folder: string;
      readonly source: Omit<DefinitionSource, 'file'>;
      readonly within?: string;
    }
  | { readonly kind: 'json'; readonly value: unknown; readonly source: DefinitionSource }
  | { readonly kind: 'setting'; readonly name: string; readonly value: unknown; readonly source: DefinitionSource };

export async function rankSources(question: DefinitionsQuestion): Promise<readonly RankedSource[]> {
  const { flagAgents, userDir, trusted } = question;
  const folder = (path: string, scope: DefinitionSource['scope'], plugin?: string): RankedSource => ({
    kind: 'folder',
    folder: path,
    source: { scope, trusted: true, ...(plugin === undefined ? {} : { plugin }) },
  });
  const project = [
    ...settingsOf(question, 'local', 'project'),
    ...(await projectFolders(question)),
    ...settingsOf(question, 'project', 'project'),
  ];
  const flag: readonly RankedSource[] =
    flagAgents === undefined
      ? []
      : [{ kind: 'json', value: flagAgents, source: { scope: 'flag', file: '--agents', trusted: true } }];
  return [
    ...settingsOf(question, 'managed', 'managed'),
    ...flag,
    ...settingsOf(question, 'command line', 'flag'),
    ...(question.folders ?? []).map((path) => folder(path, 'flag')),
    ...(trusted ? project : []),
    ...(userDir === undefined ? [] : [folder(join(userDir, 'agents'), 'user')]),
    ...settingsOf(question, 'user', 'user'),
    ...(question.plugins ?? []).map((plugin) => folder(join(plugin.folder, 'agents'), 'plugin', plugin.name)),
    ...(trusted ? [] : project),
  ];
}

/** `.claude/agents` from the working folder up to the repository's root, nearest first. */
async function projectFolders({
  host,
  cwd,
  repoRoot,
  userDir,
  trusted,
}: DefinitionsQuestion): Promise<readonly RankedSource[]> {
  const upward = foldersUpward(cwd);
  const top = repoRoot === undefined ? 0 : upward.indexOf(repoRoot);
  const folders = upward.slice(0, Math.max(0, top) + 1);
  const root = folders.at(-1) ?? cwd;
  const own = userDir === undefined ? undefined : await identity(host, join(userDir, 'agents'));
  const ranked: RankedSource[] = [];
  for (const folder of folders) {
    const agents = join(folder, '.claude', 'agents');
    // In the home folder the project's agents are the person's own: they are read as that.
    if (own !== undefined && (await identity(host, agents)) === own) continue;
    const within = trusted ? undefined : await host.files.realpath(root).catch(() => root);
    ranked.push({
      kind: 'folder',
      folder: agents,
      source: { scope: 'project', trusted },
      ...(within === undefined ? {} : { within }),
    });
  }
  return ranked;
}

async function identity(host: Host, path: string): Promise<string | undefined> {
  return (await host.files.stat(path).catch(() => undefined))?.identity;
}

function settingsOf(
  { settingsAgents = [], trusted }: DefinitionsQuestion,
  origin: SourcedAgent['origin']['scope'],
  scope: DefinitionSource['scope'],
): readonly RankedSource[] {
  return settingsAgents
    .filter((agent) => agent.origin.scope === origin)
    .map(({ name, value, origin: { file } }) => ({
      kind: 'setting',
      name,
      value,
      source: { scope, file, trusted: scope === 'project' ? trusted : true },
    }));
}
