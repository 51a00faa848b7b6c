/** Loads all skills and commands of a session: the winner for each name, those it shadows, and every problem (EX-2, EX-3, EX-9). */

import { findSlashCommand } from '../../protocol/slash-commands.js';
import type { DefinitionSource } from '../definitions/agent-definition.js';
import { stampAll } from '../definitions/find-definition-files.js';
import type { Problem } from '../problem.js';
import { findSkillFiles } from './find-skill-files.js';
import type { Skill } from './skill.js';
import { loadSource, rankSources, type SkillsQuery } from './skill-sources.js';

export type { SkillsQuery } from './skill-sources.js';

export type LoadedSkills = {
  /** By name; winners only. */
  readonly skills: ReadonlyMap<string, Skill>;
  /** Finds a skill by its name or, if unambiguous, by the last part (`b` for the command `a:b` or a plugin's `p:b`). */
  find(name: string): Skill | undefined;
  readonly shadowed: readonly ShadowedSkill[];
  /** Skills of an untrusted project. They are ignored. */
  readonly untrusted: readonly Skill[];
  /** The model sees only their names. */
  readonly nameOnly: ReadonlySet<string>;
  readonly problems: readonly Problem[];
  /** The state of the files when they were loaded, for `skillsWatch` to compare with. */
  readonly stamp: string;
};

type ShadowedSkill = { readonly skill: Skill; readonly by: DefinitionSource };

export async function loadSkills(query: SkillsQuery): Promise<LoadedSkills> {
  const sources = await rankSources(query);
  const loaded = await Promise.all(sources.map((source) => loadSource(query.host, source)));
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
  const { skills, nameOnly, problems: overrideProblems } = applyOverrides([...winners.values()], query);
  const byName = new Map(skills.map((skill) => [skill.name, skill]));
  return {
    skills: byName,
    find: (name) => byName.get(name) ?? findByEnd(name, skills),
    shadowed,
    untrusted,
    nameOnly,
    problems: [...problems, ...overrideProblems],
    stamp: stampAll(loaded.map(({ found }) => found)),
  };
}

/**
 * Returns a function that resolves with true if skill files changed since its last call or, the first time, since they
 * were loaded. It reads names and times only.
 */
export function skillsWatch(query: SkillsQuery, { stamp }: Pick<LoadedSkills, 'stamp'>): () => Promise<boolean> {
  let last = stamp;
  return async () => {
    const sources = await rankSources(query);
    const now = stampAll(await Promise.all(sources.map((source) => findSkillFiles(query.host, source))));
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

/** Applies the user's settings for skills (EX-10), and gives built-in commands precedence (EX-9). */
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

/** Copies property descriptors, because `prompt` is a getter that reads the text on first use. */
export function changed(skill: Skill, changes: Partial<Omit<Skill, 'prompt'>>): Skill {
  const copy = Object.defineProperties({}, Object.getOwnPropertyDescriptors(skill)) as Skill;
  return Object.assign(copy, changes);
}

/** The name of a built-in command is never a short name. */
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

function twice({ name, source }: Skill, winner: Skill): Problem {
  const message = `the name "${name}" is already used by ${winner.source.file}, which wins: rename one of them`;
  return { severity: 'warning', file: source.file, line: 1, message };
}

function builtIn({ name, kind, source, modelInvocable }: Skill): Problem {
  const what = kind === 'skill' ? 'its folder' : 'the file';
  const then = modelInvocable ? 'The model can still use it' : 'Nothing can use it, because the model may not';
  const message = `/${name} is a built-in command, so you can't type it: rename ${what}. ${then}`;
  return { severity: 'warning', file: source.file, line: 1, message };
}
