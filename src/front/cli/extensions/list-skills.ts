/** `coppice skills list` and `coppice commands list`: lists them with their files and who may use them (EX-9). */

import { configDir, managedFolder } from '../../../config/paths.js';
import { formatProblem } from '../../../config/problem.js';
import { type LoadedSkills, loadSkills, type SkillsQuery } from '../../../config/skills/load-skills.js';
import type { Skill } from '../../../config/skills/skill.js';
import { findSessionPlugins } from '../../../engine/open/find-plugins.js';
import { findFolder, readConfig } from '../../../engine/open/read-config.js';
import type { OpenFailure } from '../../../engine/session-options.js';
import { escapeToLine as visible } from '../../../protocol/escape-controls.js';
import { oneLine, shorten } from '../../../protocol/text/one-line.js';
import { EXIT } from '../exit-code.js';
import { explainOpenFailure } from '../explain-open-failure.js';

export type ListFlags = { readonly json?: boolean; readonly trust?: boolean };

/** The fields of `--json`; none is ever omitted. */
type Row = {
  readonly name: string;
  readonly kind: Skill['kind'];
  readonly status: 'active' | 'shadowed' | 'untrusted' | 'off';
  readonly shadowedBy: string | null;
  readonly scope: string;
  readonly plugin: string | null;
  readonly file: string;
  readonly label: string | null;
  readonly description: string;
  readonly whenToUse: string | null;
  readonly argumentHint: string | null;
  readonly arguments: readonly string[];
  readonly userInvocable: boolean;
  readonly modelInvocable: boolean;
  readonly nameOnly: boolean;
  readonly allowedTools: readonly string[];
  readonly disallowedTools: readonly string[];
  readonly model: string | null;
  readonly effort: string | null;
  readonly context: string | null;
  readonly agent: string | null;
  readonly background: boolean;
  readonly hooks: readonly string[];
  readonly paths: readonly string[];
};

export async function runSkillsList(kind: Skill['kind'], { json = false, trust = false }: ListFlags): Promise<number> {
  const here = await skillsQueryHere({ trust });
  if (!here.ok) return explainOpenFailure(here);
  const loaded = await loadSkills(here.query);
  const rows = [...rowsOf(loaded), ...(await offRows(here.query))].filter((row) => row.kind === kind);
  rows.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  if (json) {
    process.stdout.write(`${JSON.stringify({ [`${kind}s`]: rows, problems: loaded.problems }, null, 2)}\n`);
    return EXIT.done;
  }
  const lines = rows.length === 0 ? [EMPTY[kind]] : rows.flatMap(describeRow);
  process.stdout.write(`${lines.map(visible).join('\n')}\n`);
  for (const problem of loaded.problems) process.stderr.write(`${formatProblem(problem)}\n`);
  return EXIT.done;
}

const EMPTY: Readonly<Record<Skill['kind'], string>> = {
  skill: 'No skills. Create one as .claude/skills/NAME/SKILL.md in the project, or in ~/.claude/skills.',
  command: 'No commands. Create one as .claude/commands/NAME.md in the project, or in ~/.claude/commands.',
};

function rowsOf({ skills, shadowed, untrusted, nameOnly }: LoadedSkills): readonly Row[] {
  return [
    ...[...skills.values()].map((skill) => ({ ...rowOf(skill, 'active'), nameOnly: nameOnly.has(skill.name) })),
    ...shadowed.map(({ skill, by }) => ({ ...rowOf(skill, 'shadowed'), shadowedBy: by.file })),
    ...untrusted.map((skill) => rowOf(skill, 'untrusted')),
  ];
}

/** Rows for skills that a setting turns off; these are not loaded. */
async function offRows(query: SkillsQuery): Promise<readonly Row[]> {
  const off = Object.keys(query.overrides).filter((name) => query.overrides[name] === 'off');
  if (off.length === 0) return [];
  const { skills } = await loadSkills({ ...query, overrides: {} });
  return off.flatMap((name) => {
    const skill = skills.get(name);
    return skill === undefined ? [] : [rowOf(skill, 'off')];
  });
}

function rowOf(skill: Skill, status: Row['status']): Row {
  return {
    name: skill.name,
    kind: skill.kind,
    status,
    shadowedBy: null,
    scope: skill.source.scope,
    plugin: skill.source.plugin ?? null,
    file: skill.source.file,
    label: skill.label ?? null,
    description: skill.description,
    whenToUse: skill.whenToUse ?? null,
    argumentHint: skill.argumentHint ?? null,
    arguments: skill.argumentNames,
    userInvocable: skill.userInvocable,
    modelInvocable: skill.modelInvocable,
    nameOnly: false,
    allowedTools: skill.allowedTools,
    disallowedTools: skill.disallowedTools,
    model: skill.model ?? null,
    effort: skill.effort ?? null,
    context: skill.context ?? null,
    agent: skill.agent ?? null,
    background: skill.background,
    hooks: Object.keys(skill.hooks ?? {}),
    paths: skill.paths,
  };
}

function describeRow(row: Row): readonly string[] {
  const hint = row.argumentHint === null ? '' : ` ${shorten(oneLine(row.argumentHint), 60)}`;
  return [
    `${row.name}${hint}  (${row.scope}: ${row.file})`,
    ...(row.description === '' ? [] : [`  ${shorten(oneLine(row.description), 160)}`]),
    `  ${STATUS_TEXTS[row.status](row)}`,
    ...(row.status === 'active' ? describeEffects(row) : []),
  ];
}

const STATUS_TEXTS: Readonly<Record<Row['status'], (row: Row) => string>> = {
  active: describeUsers,
  shadowed: ({ shadowedBy }) => `not used: overridden by ${shadowedBy}`,
  untrusted: () => 'not used: the folder is not trusted (coppice trust)',
  off: () => 'not used: turned off by the setting "skillOverrides"',
};

function describeUsers({ userInvocable, modelInvocable, nameOnly, paths }: Row): string {
  const seen = nameOnly ? 'the model (which sees only its name)' : 'the model';
  const when = modelInvocable && paths.length > 0 ? `; listed once a file matches ${paths.join(', ')}` : '';
  if (userInvocable && modelInvocable) return `for you and ${seen}${when}`;
  if (userInvocable) return "for you only: the model can't use it";
  return modelInvocable
    ? `for ${seen} only: it can't be typed${when}`
    : 'for nobody: neither you nor the model can use it';
}

function describeEffects(row: Row): readonly string[] {
  const parts = [
    ...(row.allowedTools.length === 0 ? [] : [`allows ${row.allowedTools.join(', ')}`]),
    ...(row.disallowedTools.length === 0 ? [] : [`forbids ${row.disallowedTools.join(', ')}`]),
    ...(row.context === null ? [] : [`runs in a child (${row.agent ?? 'general-purpose'})`]),
    ...(row.model === null ? [] : [`model ${row.model}`]),
    ...(row.effort === null ? [] : [`effort ${row.effort}`]),
    ...(row.hooks.length === 0 ? [] : [`hooks: ${row.hooks.join(', ')}`]),
  ];
  return parts.length === 0 ? [] : [`  ${parts.join('; ')}`];
}

type SkillsHere = { readonly ok: true; readonly query: SkillsQuery } | OpenFailure;

/** `trust`: as if the folder were trusted. */
async function skillsQueryHere({ trust = false }: { readonly trust?: boolean }): Promise<SkillsHere> {
  const at = await findFolder({ cwd: process.cwd() });
  if (!at.ok) return at;
  const config = await readConfig({ trust }, at.host, at.repoRoot ?? at.folder);
  if (!config.ok) return config;
  const { host, ownEnv, trusted, settings } = config;
  const projectRoot = at.repoRoot ?? at.folder;
  const place = { host, folder: at.folder, projectRoot, approvalsRoot: projectRoot, trusted, settings };
  const found = await findSessionPlugins({ ...place, options: { trust } });
  return {
    ok: true,
    query: {
      host,
      cwd: at.folder,
      ...(at.repoRoot === undefined ? {} : { repoRoot: at.repoRoot }),
      userDir: configDir(ownEnv),
      managedDir: managedFolder(ownEnv),
      addDirs: settings.additionalDirectories.map(({ path }) => path),
      plugins: found.plugins,
      trusted,
      overrides: settings.settings.skillOverrides ?? {},
    },
  };
}
