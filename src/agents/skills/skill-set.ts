/** The loaded skills, plus those found later below the working folder (EX-9, EX-10). */

import { relative } from 'node:path';
import type { LoadedSkills } from '../../config/skills/load-skills.js';
import type { Skill } from '../../config/skills/skill.js';
import type { SessionSkills } from './session-skills.js';

export type SkillSetOptions = {
  readonly loaded: LoadedSkills;
  /** The base of the skills' `paths`. */
  readonly projectRoot: string;
  /** The folders between the working folder and a file that may contain skills. */
  foldersBelow(file: string): readonly string[];
  /** Finds the skills in folders. */
  below(folders: readonly string[], taken: (name: string) => boolean): Promise<readonly Skill[]>;
};

export class SkillSet implements SessionSkills {
  readonly #options: SkillSetOptions;
  /** Skills found below the working folder, by name. */
  readonly #found = new Map<string, Skill>();
  /** Each folder is searched once. */
  readonly #looked = new Map<string, Promise<readonly Skill[]>>();

  constructor(options: SkillSetOptions) {
    this.#options = options;
  }

  list(): readonly Skill[] {
    return [...this.#options.loaded.skills.values(), ...this.#found.values()];
  }

  find(name: string): Skill | undefined {
    const { loaded } = this.#options;
    return loaded.skills.get(name) ?? this.#found.get(name) ?? loaded.find(name);
  }

  listed() {
    const { skills, nameOnly } = this.#options.loaded;
    return [...skills.values()]
      .filter((skill) => skill.modelInvocable && skill.paths.length === 0)
      .map((skill) => ({ skill, nameOnly: nameOnly.has(skill.name) }));
  }

  refusal(name: string): string | undefined {
    const { untrusted } = this.#options.loaded;
    if (!untrusted.some((skill) => skill.name === name)) return undefined;
    return `/${name} is a skill of this project, and the folder is not trusted: \`coppice trust\` trusts it.`;
  }

  async touched(file: string): Promise<readonly Skill[]> {
    const below = await this.#below(file);
    const matching = await this.#matching(file);
    return [...new Set([...below, ...matching])].filter((skill) => skill.modelInvocable);
  }

  async #below(file: string): Promise<readonly Skill[]> {
    const folders = this.#options.foldersBelow(file);
    const fresh = folders.filter((folder) => !this.#looked.has(folder));
    if (fresh.length > 0) {
      const looking = this.#look(fresh);
      for (const folder of fresh) this.#looked.set(folder, looking);
    }
    const found = await Promise.all(folders.map((folder) => this.#looked.get(folder) ?? []));
    return found.flat();
  }

  async #look(folders: readonly string[]): Promise<readonly Skill[]> {
    const skills = await this.#options.below(folders, (name) => this.find(name) !== undefined);
    for (const skill of skills) this.#found.set(skill.name, skill);
    return skills.filter((skill) => skill.paths.length === 0);
  }

  async #matching(file: string): Promise<readonly Skill[]> {
    const bound = this.list().filter((skill) => skill.paths.length > 0);
    const inside = relative(this.#options.projectRoot, file);
    if (bound.length === 0 || inside.startsWith('..')) return [];
    const { default: picomatch } = await import('picomatch');
    return bound.filter((skill) =>
      skill.paths.some((pattern) => picomatch.isMatch(inside, pattern, { dot: true, noextglob: true })),
    );
  }
}
