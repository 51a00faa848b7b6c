/** Finds the files of skills (`<name>/SKILL.md`, at any depth) and of commands (`*.md`, at any depth) below a folder. */

import { dirname } from 'node:path';
import type { Entry } from '../../host/files.js';
import type { Host } from '../../host/host.js';
import {
  type FindOptions,
  type FoundFiles,
  findDefinitionFiles,
  isMarkdown,
  stampOf,
} from '../definitions/find-definition-files.js';
import type { Problem } from '../problem.js';
import type { Skill } from './skill.js';

export type SkillFolder = {
  readonly kind: Skill['kind'];
  /** For a plugin, it may also be a single file. */
  readonly folder: string;
  /** Links that point outside this folder are not followed. */
  readonly within?: string;
  readonly plugin?: string;
};

/** A skill's folder contains other files, so the limit is higher than for agents. */
const MOST_NAMES = 10_000;

export async function findSkillFiles(host: Host, place: SkillFolder): Promise<FoundFiles> {
  const { kind, folder, within } = place;
  const single = place.plugin === undefined ? undefined : await singleFile(host, folder);
  if (single !== undefined) return single;
  const options: FindOptions = {
    what: `${kind}s`,
    mostNames: MOST_NAMES,
    ...(within === undefined ? {} : { within }),
  };
  if (kind === 'command') return findDefinitionFiles(host, folder, options);
  const strays: Problem[] = [];
  const choose = (entries: readonly Entry[], at: string) => {
    if (at !== folder) return ofSkill(entries) ?? entries.filter(isFolder);
    const own = ofSkill(entries);
    if (own !== undefined && place.plugin !== undefined) return own;
    strays.push(...strayFiles(folder, entries));
    return entries.filter(isFolder);
  };
  const { files, problems } = await findDefinitionFiles(host, folder, { ...options, choose, only: 'SKILL.md' });
  return { files, problems: [...strays, ...problems] };
}

/** Other files in a skill's folder belong to it: a further SKILL.md there is a template. */
function ofSkill(entries: readonly Entry[]): readonly Entry[] | undefined {
  const files = entries.filter(({ name, kind }) => kind !== 'folder' && /^skill\.md$/i.test(name));
  const file = files.find(({ name }) => name === 'SKILL.md') ?? files[0];
  return file && [file];
}

function isFolder({ name, kind }: Entry): boolean {
  return kind === 'folder' || (kind === 'link' && !isMarkdown(name));
}

const DOCUMENT = /^(readme|changelog|contributing|license|index|claude|agents)\b/i;

/** Warns about skills written as a single file, like commands. */
function strayFiles(folder: string, entries: readonly Entry[]): readonly Problem[] {
  const stray = entries.filter(({ name, kind }) => kind !== 'folder' && isMarkdown(name) && !DOCUMENT.test(name));
  const [first] = stray.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  if (first === undefined) return [];
  const name = first.name.replace(/\.[^.]*$/, '');
  const better = /^skill$/i.test(name) ? 'NAME/SKILL.md' : `${name}/SKILL.md`;
  const more = stray.length > 1 ? ` (and ${stray.length - 1} more such files)` : '';
  const message = `skipped: a skill is a folder with SKILL.md in it: move this file to ${better}${more}`;
  return [{ severity: 'warning', file: `${folder}/${first.name}`, message }];
}

async function singleFile({ files }: Host, file: string): Promise<FoundFiles | undefined> {
  const stat = await files.stat(file).catch(() => undefined);
  if (stat?.kind !== 'file') return undefined;
  const folder = dirname(await files.realpath(file).catch(() => file));
  return { files: [{ file, stamp: stampOf(stat), folder }], problems: [] };
}
