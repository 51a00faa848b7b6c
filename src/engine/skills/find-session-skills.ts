/** Finds the skills and commands of a session, and whether they have changed. Loads nothing if there are none. */

import { join } from 'node:path';
import { NO_SKILLS, type SessionSkills } from '../../agents/skills/session-skills.js';
import { summariseProblems } from '../../config/definitions/summarise-problems.js';
import { foldersWithin } from '../../config/find-repo-root.js';
import { configDir, managedFolder } from '../../config/paths.js';
import { isRead } from '../../config/settings/setting-sources.js';
import type { SkillsQuery } from '../../config/skills/load-skills.js';
import { plural } from '../../protocol/format-numbers.js';
import type { SessionConfig } from '../build/session-config.js';
import { throttleReload } from '../refresh/throttle-reload.js';
import { describeAbsentSkills, onlySkills } from './only-skills.js';

export type LoadedSessionSkills = {
  readonly skills: SessionSkills;
  /** Their problems, for the user. */
  readonly lines: readonly string[];
};

export type ChangingSkills = {
  load(): Promise<LoadedSessionSkills>;
  /** Since they were loaded, or since the last check. */
  haveChanged(): Promise<boolean>;
  /** As the files are now; the loaded ones stay in effect. */
  read(): Promise<SessionSkills>;
};

export function changingSkills(config: SessionConfig): ChangingSkills {
  const question = questionOf(config);
  let watch: (() => Promise<boolean>) | undefined;
  const read = async (): Promise<LoadedSessionSkills & { readonly watched?: () => Promise<boolean> }> => {
    if (!mayHaveSkills(question)) return { skills: NO_SKILLS, lines: [] };
    const [{ loadSkills, skillsWatch }, { foldersBelow, loadSkillsBelow }, { SkillSet }] = await Promise.all([
      import('../../config/skills/load-skills.js'),
      import('../../config/skills/skills-below.js'),
      import('../../agents/skills/skill-set.js'),
    ]);
    const loaded = await loadSkills(question);
    const problems = loaded.problems.filter(({ untrusted }) => !untrusted);
    const problem = summariseProblems(problems, { what: 'skills and commands', where: 'coppice skills list' });
    const skills = new SkillSet({
      loaded,
      projectRoot: config.projectRoot,
      foldersBelow: (file) => foldersBelow(config.folder, file),
      below: async (folders, taken) => (await loadSkillsBelow(question, folders, taken)).skills,
    });
    const lines = [problem, describeUntrusted(loaded.untrusted.length)];
    const watched = throttleReload(config.host.clock, skillsWatch(question, loaded));
    return { skills, lines: lines.filter((line) => line !== undefined), watched };
  };
  const changing: ChangingSkills = {
    load: async () => {
      watch = undefined;
      const { watched, ...loaded } = await read();
      watch = watched;
      return loaded;
    },
    read: async () => (await read()).skills,
    haveChanged: async () => (watch === undefined ? mayHaveSkills(question) : watch()),
  };
  const { onlySkills: names } = config.options;
  return names === undefined ? changing : limited(changing, names);
}

/** Warns once: later files may contain what was missing. */
function limited(changing: ChangingSkills, names: readonly string[]): ChangingSkills {
  let isFirst = true;
  return {
    ...changing,
    read: async () => onlySkills(await changing.read(), names),
    load: async () => {
      const { skills, lines } = await changing.load();
      const absent = isFirst ? describeAbsentSkills(skills, names) : undefined;
      isFirst = false;
      return { skills: onlySkills(skills, names), lines: absent === undefined ? lines : [...lines, absent] };
    },
  };
}

function describeUntrusted(count: number): string | undefined {
  if (count === 0) return undefined;
  const what = plural(count, 'skill or command', 'skills and commands');
  return `${what} of this project can't be used: the folder is not trusted (run coppice trust).`;
}

function questionOf({
  options,
  host,
  folder,
  repoRoot,
  roots,
  trusted,
  settings,
  plugins,
}: SessionConfig): SkillsQuery {
  return {
    host,
    cwd: folder,
    ...(repoRoot === undefined ? {} : { repoRoot }),
    userDir: configDir(host.env),
    managedDir: managedFolder(host.env),
    addDirs: roots.filter((root) => root !== folder),
    plugins,
    trusted,
    overrides: settings.settings.skillOverrides ?? {},
    sources: options.settingSources,
  };
}

/** Checks a few names; most projects need no more. */
function mayHaveSkills({ host, cwd, repoRoot, userDir, managedDir, addDirs, plugins, sources }: SkillsQuery): boolean {
  if (plugins.some(({ skills, commands }) => skills.length + commands.length > 0)) return true;
  const inside = isRead(sources, 'project') ? [...foldersWithin(repoRoot ?? cwd, cwd), ...addDirs] : [];
  const own = [isRead(sources, 'user') ? userDir : undefined, managedDir].filter((folder) => folder !== undefined);
  const folders = [...inside.map((folder) => join(folder, '.claude')), ...own];
  return folders.some((folder) => isThere(host, join(folder, 'skills')) || isThere(host, join(folder, 'commands')));
}

function isThere({ files }: SkillsQuery['host'], path: string): boolean {
  try {
    return files.sync.lstat(path) !== undefined;
  } catch {
    // In any case: the loader reports what is wrong with it.
    return true;
  }
}
