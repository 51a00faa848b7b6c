/** A home and a project with skills in them, and the question for those. */

import { join } from 'node:path';
import type { SkillsQuery } from '../../../../src/config/skills/load-skills.js';
import { makeScratch, type Scratch } from '../scratch.js';

export type SkillsStage = Scratch & {
  /** Writes a skill (`<place>/skills/<name>/SKILL.md`) whose description is its place. Answers its path. */
  skill(place: string, name: string, fields?: string): string;
  command(place: string, path: string, fields?: string): string;
  question(more?: Partial<SkillsQuery>): SkillsQuery;
};

export function setSkillsStage(): SkillsStage {
  const scratch = makeScratch();
  const { home, project, host, folder, write } = scratch;
  const text = (place: string, fields: string) => `---\ndescription: ${place}\n${fields}---\nText.\n`;
  return {
    ...scratch,
    skill: (place, name, fields = '') => write(`${place}/skills/${name}/SKILL.md`, text(place, fields)),
    command: (place, path, fields = '') => write(`${place}/commands/${path}`, text(place, fields)),
    question: (more = {}) => ({
      host,
      cwd: project,
      repoRoot: project,
      userDir: join(home, '.claude'),
      managedDir: join(folder, 'managed'),
      addDirs: [],
      plugins: [],
      trusted: true,
      overrides: {},
      ...more,
    }),
  };
}

export function plugin(name: string, folder: string, isApproved = true): SkillsQuery['plugins'][number] {
  return {
    name,
    folder,
    skills: [join(folder, 'skills')],
    commands: [join(folder, 'commands')],
    isApproved,
  };
}
