/** The sources of skills and commands, strongest first, and the content of one such folder (EX-9). */

import { dirname, join } from 'node:path';
import type { Host } from '../../host/host.js';
import type { DefinitionSource } from '../definitions/agent-definition.js';
import { DefinitionCache } from '../definitions/definition-cache.js';
import type { FoundFiles } from '../definitions/find-definition-files.js';
import { loadFiles } from '../definitions/load-files.js';
import { foldersWithin } from '../find-repo-root.js';
import type { Plugin } from '../plugins/plugin.js';
import type { Problem } from '../problem.js';
import type { SkillOverride } from '../settings/setting-shapes.js';
import { isRead, type WantedSources } from '../settings/setting-sources.js';
import { findSkillFiles, type SkillFolder } from './find-skill-files.js';
import type { Skill } from './skill.js';
import { isSkillName, type NamedFile, nameCommand, nameSkill } from './skill-name.js';

export type SkillsQuery = {
  readonly host: Host;
  readonly cwd: string;
  /** Undefined outside a repository: then only `.claude` of the working folder is read. */
  readonly repoRoot?: string;
  /** The user's config folder (`~/.claude`). Undefined: not read. */
  readonly userDir?: string;
  readonly managedDir?: string;
  /** From `--add-dir`: their `.claude` is treated like the project's, after it. */
  readonly addDirs: readonly string[];
  readonly plugins: readonly PluginSkills[];
  /** If false, the project's skills are ignored. */
  readonly trusted: boolean;
  /** Links in the project that point outside it are not followed, even if it is trusted. */
  readonly staysInside?: boolean;
  readonly overrides: Readonly<Record<string, SkillOverride>>;
  /** Folders of other sources are not read. */
  readonly sources?: WantedSources;
};

export type SkillSource = SkillFolder & { readonly source: Omit<DefinitionSource, 'file'> };

export type LoadedSource = {
  readonly skills: readonly Skill[];
  readonly problems: readonly Problem[];
  readonly found: FoundFiles;
};

const KINDS = [
  ['skill', 'skills'],
  ['command', 'commands'],
] as const;

/** Existing sources only, ordered by scope, then skills before commands, then the nearest folder. */
export async function rankSources(query: SkillsQuery): Promise<readonly SkillSource[]> {
  const { cwd, repoRoot, userDir, managedDir, addDirs, trusted, staysInside = !trusted } = query;
  const inside = foldersWithin(repoRoot ?? cwd, cwd);
  const root = inside.at(-1) ?? cwd;
  const project = isRead(query.sources, 'project')
    ? [...inside.map((folder) => ({ folder, within: root })), ...addDirs.map((folder) => ({ folder, within: folder }))]
    : [];
  const own = (scope: 'managed' | 'user', dir: string | undefined): readonly SkillSource[] =>
    KINDS.flatMap(([kind, name]) =>
      dir === undefined ? [] : [{ kind, folder: join(dir, name), source: { scope, trusted: true } }],
    );
  const ranked: SkillSource[] = [
    ...own('managed', managedDir),
    ...(isRead(query.sources, 'user') ? own('user', userDir) : []),
    // Before the project's, which could otherwise use a plugin's name: `plugin:part`.
    ...query.plugins.flatMap(ofPlugin),
    ...KINDS.flatMap(([kind, name]) =>
      project.map(({ folder, within }) => projectSource(kind, join(folder, '.claude', name), trusted, within)),
    ),
  ];
  return existingSources(query.host, ranked, staysInside);
}

type PluginSkills = Pick<Plugin, 'name' | 'folder' | 'skills' | 'commands' | 'isApproved'>;

function ofPlugin({
  name: plugin,
  folder: within,
  skills,
  commands,
  isApproved,
}: PluginSkills): readonly SkillSource[] {
  return KINDS.flatMap(([kind]) =>
    (kind === 'skill' ? skills : commands).map((folder) => ({
      kind,
      folder,
      plugin,
      within,
      source: { scope: 'plugin' as const, plugin, trusted: isApproved },
    })),
  );
}

/** Loads the skills of one plugin as a session does. */
export async function loadOfPlugin(host: Host, plugin: Omit<PluginSkills, 'isApproved'>): Promise<readonly Skill[]> {
  const sources = await existingSources(host, ofPlugin({ ...plugin, isApproved: false }), true);
  const loaded = await Promise.all(sources.map((source) => loadSource(host, source)));
  return loaded.flatMap(({ skills }) => skills);
}

export function projectSource(kind: Skill['kind'], folder: string, trusted: boolean, within: string): SkillSource {
  return { kind, folder, within, source: { scope: 'project', trusted } };
}

/** Removes missing folders and duplicates: in the home folder, the project's skills are the user's own. */
export async function existingSources(
  { files }: Host,
  sources: readonly SkillSource[],
  staysInside: boolean,
): Promise<readonly SkillSource[]> {
  const seen = new Set<string>();
  const stats = await Promise.all(sources.map(({ folder }) => files.stat(folder).catch(() => 'failed' as const)));
  const existing = sources.filter((source, index) => {
    const stat = stats[index];
    if (stat === undefined || stat === 'failed') return stat === 'failed';
    const identity = `${source.plugin ?? ''}\0${source.kind}\0${stat.identity}`;
    if (seen.has(identity)) return false;
    seen.add(identity);
    return true;
  });
  return Promise.all(
    existing.map(async ({ within, ...source }) => {
      // The approval of a plugin covers only its own folder.
      if (within === undefined || (!staysInside && source.plugin === undefined)) return source;
      return { ...source, within: await files.realpath(within).catch(() => within) };
    }),
  );
}

export async function loadSource(host: Host, source: SkillSource): Promise<LoadedSource> {
  const { kind, folder, plugin = '' } = source;
  if (source.source.scope === 'project' && !source.source.trusted) return nameUntrusted(host, source);
  // Read by another thread while this one scans the folder. It never rejects.
  const opening = DefinitionCache.open<Skill>(host, ['skills', kind, plugin, folder].join('\0'));
  const found = await findSkillFiles(host, source);
  const { files, problems } = found;
  if (files.length === 0) return { skills: [], problems, found };
  const loaded = await loadFiles<Skill>(files, {
    host,
    cache: await opening,
    originOf: (one) => ({ source: { ...source.source, file: one.file }, folder: one.folder }),
    parser: async () => {
      const { parseSkill } = await import('./parse-skill.js');
      return (text, place) => parseSkill(text, { ...nameOf(source, place.source.file), place });
    },
  });
  return { skills: loaded.definitions, problems: [...problems, ...loaded.problems], found };
}

/** Reads no file of an untrusted project: only names are known, and its problems are marked as untrusted. */
async function nameUntrusted(host: Host, source: SkillSource): Promise<LoadedSource> {
  const found = await findSkillFiles(host, source);
  const skills = found.files.flatMap(({ file, folder }): readonly Skill[] => {
    const { kind, name } = nameOf(source, file);
    return isSkillName(name) ? [{ ...UNREAD, kind, name, folder, source: { ...source.source, file } }] : [];
  });
  return { skills, problems: found.problems.map((problem) => ({ ...problem, untrusted: true })), found };
}

const UNREAD = {
  description: '',
  argumentNames: [],
  modelInvocable: false,
  userInvocable: false,
  allowedTools: [],
  disallowedTools: [],
  background: false,
  paths: [],
  prompt: '',
} as const;

function nameOf({ kind, folder }: SkillSource, file: string): NamedFile {
  if (kind === 'skill') return nameSkill(file);
  return nameCommand(file === folder ? dirname(file) : folder, file);
}
