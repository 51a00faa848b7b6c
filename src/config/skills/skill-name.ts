/** Derives the name of a skill from the location of its file (EX-3, EX-8). Pure. */

import { basename, dirname, relative } from 'node:path';
import type { Skill } from './skill.js';

export type NamedFile = {
  readonly kind: Skill['kind'];
  readonly name: string;
  /** A warning about the file name, if it is not the expected one. */
  readonly renamed?: string;
};

const LONGEST = 128;

/** Letters of any language are allowed. */
export function isSkillName(name: string): boolean {
  return name.length <= LONGEST && /^[\p{L}\p{N}\p{M}._:-]+$/u.test(name) && /[\p{L}\p{N}]/u.test(name);
}

/** A skill is named after its folder, without the categories above it. */
export function nameSkill(file: string): NamedFile {
  const own = basename(file);
  const named = { kind: 'skill' as const, name: basename(dirname(file)).normalize('NFC') };
  return own === 'SKILL.md' ? named : { ...named, renamed: `the file is called ${own}: rename it to SKILL.md` };
}

/** `a/b.md` below `commands` is `a:b`. */
export function nameCommand(folder: string, file: string): NamedFile {
  const path = relative(folder, file).replace(/\.(md|markdown)$/i, '');
  return { kind: 'command', name: path.split('/').join(':').normalize('NFC') };
}
