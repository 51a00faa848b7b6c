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
  /** In a plugin also one file. */
  readonly folder: string;
  /** Links that point outside this folder are not followed. */
  readonly within?: string;
  readonly plugin?: string;
};

/** A skill lies in a folder with files of its own, so there are more names than of agents. */
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
  const told: Problem[] = [];
  const choose = (entries: readonly Entry[], at: string) => {
    if (at !== folder) return ofSkill(entries) ?? entries.filter(leadsOn);
    const own = ofSkill(entries);
    if (own !== undefined && place.plugin !== undefined) return own;
    told.push(...strayFiles(folder, entries));
    return entries.filter(leadsOn);
  };
  const { files, problems } = await findDefinitionFiles(host, folder, { ...options, choose, only: 'SKILL.md' });
  return { files, problems: [...told, ...problems] };
}

/** What else lies in the folder of a skill belongs to it: another SKILL.md there is a template. */
function ofSkill(entries: readonly Entry[]): readonly Entry[] | undefined {
  const files = entries.filter(({ name, kind }) => kind !== 'folder' && /^skill\.md$/i.test(name));
  const file = files.find(({ name }) => name === 'SKILL.md') ?? files[0];
  return file && [file];
}

function leadsOn({ name, kind }: Entry): boolean {
  return kind === 'folder' || (kind === 'link' && !isMarkdown(name));
}

const DOCUMENT = /^(readme|changelog|contributing|license|index|claude|agents)\b/i;

/** People put a skill in one file, as commands are. */
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
