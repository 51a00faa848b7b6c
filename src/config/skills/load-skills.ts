/** Loads all skills and commands of a session: the winner for each name, what it shadows, and every problem (EX-2, EX-3, EX-9). */

import { findSlashCommand } from '../../protocol/slash-commands.js';
import type { DefinitionSource } from '../definitions/agent-definition.js';
import type { FoundFiles } from '../definitions/find-definition-files.js';
import type { Problem } from '../problem.js';
import { findSkillFiles } from './find-skill-files.js';
import type { Skill } from './skill.js';
import { loadSource, rankSources, type SkillsQuery } from './skill-sources.js';

export type { SkillsQuery } from './skill-sources.js';

export type LoadedSkills = {
  /** By name; winners only. */
  readonly skills: ReadonlyMap<string, Skill>;
  /** By its name, or by the end of it (`b` for the command `a:b`, for a plugin's `p:b`) if only one has it. */
  find(name: string): Skill | undefined;
  readonly shadowed: readonly ShadowedSkill[];
  /** Of a project that is not trusted. Nothing of them counts. */
  readonly untrusted: readonly Skill[];
  /** The model sees only their names. */
  readonly nameOnly: ReadonlySet<string>;
  readonly problems: readonly Problem[];
  /** What `skillsWatch` compares with: the files as they were found for this. */
  readonly stamp: string;
};

type ShadowedSkill = { readonly skill: Skill; readonly by: DefinitionSource };

export async function loadSkills(q: SkillsQuery): Promise<LoadedSkills> {
  const sources = await rankSources(q);
  const loaded = await Promise.all(sources.map((source) => loadSource(q.host, source)));
  const winners = new Map<string, Skill>();
  const shadowed: ShadowedSkill[] = [];
  const untrusted: Skill[] = [];
  const problems: Problem[] = [];
  for (const source of loaded) {
    problems.push(...source.problems);
    for (const skill of source.skills) {
      const winner = winners.get(skill.name);
      if (isUntrusted(skill)) untrusted.push(skill);
      else if (winner === undefined) winners.set(skill.name, skill);
      else {
        shadowed.push({ skill, by: winner.source });
        if (source.skills.includes(winner)) problems.push(twice(skill, winner));
      }
    }
  }
  const { skills, nameOnly, problems: told } = applyOverrides([...winners.values()], q);
  const byName = new Map(skills.map((skill) => [skill.name, skill]));
  return {
    skills: byName,
    find: (name) => byName.get(name) ?? findByEnd(name, skills),
    shadowed,
    untrusted,
    nameOnly,
    problems: [...problems, ...told],
    stamp: stampOf(loaded.map(({ found }) => found)),
  };
}

/**
 * Returns a function that tells whether files of skills changed since its last call, or, the first time, since they were
 * loaded. It reads names and times only.
 */
export function skillsWatch(q: SkillsQuery, { stamp }: Pick<LoadedSkills, 'stamp'>): () => Promise<boolean> {
  let last = stamp;
  return async () => {
    const sources = await rankSources(q);
    const now = stampOf(await Promise.all(sources.map((source) => findSkillFiles(q.host, source))));
    const withChanges = last !== now;
    last = now;
    return withChanges;
  };
}

export type SettledSkills = {
  readonly skills: readonly Skill[];
  readonly nameOnly: ReadonlySet<string>;
  readonly problems: readonly Problem[];
};

/** What the person's settings say of skills (EX-10), and that our own commands win (EX-9). */
export function applyOverrides(found: readonly Skill[], { overrides }: Pick<SkillsQuery, 'overrides'>): SettledSkills {
  const nameOnly = new Set<string>();
  const problems: Problem[] = [];
  const skills = found.flatMap((skill): readonly Skill[] => {
    const { name } = skill;
    const override = Object.hasOwn(overrides, name) ? overrides[name] : 'on';
    if (override === 'off') return [];
    if (override === 'name-only') nameOnly.add(name);
    const isHidden = override === 'user-invocable-only' && skill.modelInvocable;
    const isOurs = findSlashCommand(name) !== undefined && skill.userInvocable;
    if (isOurs) problems.push(builtIn(skill));
    if (!isHidden && !isOurs) return [skill];
    return [changed(skill, { ...(isHidden && { modelInvocable: false }), ...(isOurs && { userInvocable: false }) })];
  });
  return { skills, nameOnly, problems };
}

/** Its text is read on first use, and stays so. */
export function changed(skill: Skill, changes: Partial<Omit<Skill, 'prompt'>>): Skill {
  const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(skill)) as Skill;
  return Object.assign(copy, changes);
}

/** A built-in's name is nobody's short name. */
function findByEnd(name: string, skills: readonly Skill[]): Skill | undefined {
  if (name === '' || findSlashCommand(name) !== undefined) return undefined;
  const ending = skills.filter((skill) => isShort(skill) && skill.name.endsWith(`:${name}`));
  return ending.length === 1 ? ending[0] : undefined;
}

function isShort({ kind, source }: Skill): boolean {
  return kind === 'command' || source.plugin !== undefined;
}

function isUntrusted({ source }: Skill): boolean {
  return source.scope === 'project' && !source.trusted;
}

function stampOf(found: readonly FoundFiles[]): string {
  const lines = found.flatMap(({ files, problems }) => [
    ...files.map(({ file, stamp }) => `${file}\0${stamp}`),
    problems.length,
  ]);
  return lines.join('\n');
}

function twice({ name, source }: Skill, winner: Skill): Problem {
  const message = `the name "${name}" is already used by ${winner.source.file}, which wins: rename one of them`;
  return { severity: 'warning', file: source.file, line: 1, message };
}

function builtIn({ name, kind, source, modelInvocable }: Skill): Problem {
  const what = kind === 'skill' ? 'its folder' : 'the file';
  const then = modelInvocable ? 'The model can still use it' : 'Nobody can use it, since the model may not';
  const message = `/${name} is a command of Coppice, so it can't be typed: rename ${what}. ${then}`;
  return { severity: 'warning', file: source.file, line: 1, message };
}
