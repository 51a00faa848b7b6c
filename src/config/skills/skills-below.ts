/** Skills and commands in folders below the working folder, found when a file there is touched (EX-9). */

import { join, relative } from 'node:path';
import type { Problem } from '../problem.js';
import { isRead } from '../settings/setting-sources.js';
import { applyOverrides, changed } from './load-skills.js';
import type { Skill } from './skill.js';
import { isSkillName } from './skill-name.js';
import { existingSources, loadSource, projectSource, type SkillsQuery } from './skill-sources.js';

/** Loads skills from `.claude` of these folders, outermost first. A `taken` name becomes `apps/web:deploy`. */
export async function loadSkillsBelow(
  query: SkillsQuery,
  folders: readonly string[],
  taken: (name: string) => boolean,
): Promise<{ readonly skills: readonly Skill[]; readonly problems: readonly Problem[] }> {
  const { host, cwd, repoRoot = cwd, trusted, staysInside = !trusted } = query;
  if (!trusted || !isRead(query.sources, 'project')) return { skills: [], problems: [] };
  const sources = folders.flatMap((folder) => [
    projectSource('skill', join(folder, '.claude', 'skills'), trusted, repoRoot),
    projectSource('command', join(folder, '.claude', 'commands'), trusted, repoRoot),
  ]);
  const there = await existingSources(host, sources, staysInside);
  const loaded = await Promise.all(there.map((source) => loadSource(host, source)));
  const mine = new Map<string, Skill>();
  const problems: Problem[] = [];
  loaded.forEach((source, index) => {
    problems.push(...source.problems);
    for (const skill of source.skills) {
      const folder = relative(cwd, join(there[index]?.folder ?? cwd, '..', '..'));
      const name = freeName(skill.name, folder);
      if (name === undefined && !isNameable(folder)) problems.push(unnameable(skill));
      if (name !== undefined) mine.set(name, name === skill.name ? skill : changed(skill, { name }));
    }
  });
  const settled = applyOverrides([...mine.values()], query);
  return { skills: settled.skills, problems: [...problems, ...settled.problems] };

  function freeName(name: string, folder: string): string | undefined {
    const nested = isNameable(folder) ? [`${folder}:${name}`] : [];
    return [name, ...nested].find((one) => !taken(one) && !mine.has(one));
  }
}

/** Names are typed and shown to a model, so not every folder name can be part of one. */
function isNameable(folder: string): boolean {
  return folder.split('/').every(isSkillName);
}

function unnameable({ name, source }: Skill): Problem {
  const message = `skipped: "${name}" is taken, and its folder can't be part of a name: rename one of them`;
  return { severity: 'warning', file: source.file, line: 1, message };
}

/** The folders whose `.claude` applies once `file` is touched, outermost first. Excludes hidden folders and dependencies. */
export function foldersBelow(cwd: string, file: string): readonly string[] {
  const parts = relative(cwd, file).split('/').slice(0, -1);
  const stop = parts.findIndex((part) => part.startsWith('.') || part === 'node_modules');
  const names = stop < 0 ? parts : parts.slice(0, stop);
  return names.map((_, index) => join(cwd, ...names.slice(0, index + 1)));
}
