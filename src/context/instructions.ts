/**
 * Loads instructions for agents: CLAUDE.md, AGENTS.md and rules, from the widest to the nearest scope.
 * They are data: nothing in them is executed. Files that can't be loaded are always reported.
 */

import { dirname, join } from 'node:path';
import { isWithin } from '../config/path-within.js';
import { isRead, type SettingSource } from '../config/settings/setting-sources.js';
import type { Host } from '../host/host.js';
import { readRegularFile } from '../host/read-regular-file.js';
import { foldersBetween } from './folders.js';
import type { InstructionFile } from './imports.js';
import { expandImports, MAX_INSTRUCTION_BYTES, RULED_OUT } from './imports.js';
import { LoadBudget, ownSources, projectSources, type SourceOptions, type SourceRules } from './instruction-sources.js';
import { loadRules, type Rule, ruleApplies } from './rules.js';

export type InstructionsOptions = SourceOptions & {
  /** The working folder, in or below the root. */
  readonly folder: string;
  readonly managedFile: string;
};

export type Instructions = {
  readonly files: readonly InstructionFile[];
  readonly warnings: readonly string[];
  /**
   * Returns the instructions that apply once a file is used: nested ones, and rules for its path. `told` has those the
   * agent already has, each with its text; new and changed ones are added to it.
   */
  forFile(path: string, told: Set<string>): Promise<readonly InstructionFile[]>;
};

export async function loadInstructions(options: InstructionsOptions): Promise<Instructions> {
  const { host, folder, root, configDir } = options;
  const warnings: string[] = [];
  const seen = new Set<string>();
  const budget = new LoadBudget(warnings);
  const own = ownSources(options);
  const project = await projectSources(options);
  const reads = (source: SettingSource) => isRead(options.sources, source);
  const load = (path: string, rules: SourceRules) => loadFile({ host, path, rules, seen, warnings, budget });
  const inFolder = (one: string) => loadFolder(one, project, { load, reads });

  const files: InstructionFile[] = [
    ...((await load(options.managedFile, own)) ?? []),
    ...(reads('user') ? ((await load(join(configDir, 'CLAUDE.md'), own)) ?? []) : []),
  ];
  for (const one of foldersBetween(root, folder)) files.push(...(await inFolder(one)));

  const rules: Rule[] = [];
  for (const [name, source, sources] of [
    ['user', configDir, own],
    ['project', join(root, '.claude'), project],
  ] as const) {
    if (!reads(name)) continue;
    const loadRule = (path: string) => load(path, sources);
    rules.push(...(await loadRules({ host, root, sources, seen, warnings, load: loadRule }, join(source, 'rules'))));
  }
  const conditional = rules.filter((rule) => rule.patterns.length > 0);
  files.push(...rules.filter((rule) => rule.patterns.length === 0).map(({ path, text }) => ({ path, text })));

  const base = new Set(foldersBetween(root, folder));
  const nested = new Map<string, Promise<readonly InstructionFile[]>>();
  /** Read once for all agents. */
  const below = (path: string) => {
    const known = nested.get(path) ?? inFolder(path);
    nested.set(path, known);
    return known;
  };
  async function forFile(path: string, told: Set<string>): Promise<readonly InstructionFile[]> {
    const found: InstructionFile[] = [];
    for (const above of isWithin(root, path) ? foldersBetween(root, dirname(path)) : []) {
      if (!base.has(above)) found.push(...(await below(above)));
    }
    for (const rule of conditional) {
      if (!told.has(nameOf(rule)) && (await ruleApplies(rule, path))) found.push({ path: rule.path, text: rule.text });
    }
    // Checked after everything was read: a concurrent call may have announced it meanwhile.
    const fresh = found.filter((file) => !told.has(nameOf(file)));
    for (const file of fresh) told.add(nameOf(file));
    return fresh;
  }
  return { files, warnings, forFile };
}

export function describeInstructions(files: readonly InstructionFile[]): string {
  return [
    '# Instructions',
    'Written by the person or their team for work here. The later, the nearer: on conflict the later holds.',
    ...files.map(describeFile),
  ].join('\n\n');
}

export function describeFile({ path, text }: InstructionFile): string {
  return `## From ${path}\n\n${text.trim()}`;
}

/** Identifies a text of a file: a changed file has another name. */
function nameOf(file: InstructionFile): string {
  return `${file.path}\n${file.text}`;
}

type Load = (path: string, rules: SourceRules) => Promise<LoadedFile>;

/** Undefined if there is no such file; empty if it is unusable or blank. */
type LoadedFile = readonly InstructionFile[] | undefined;

/** Loads the files of one folder, in order of precedence. `AGENTS.md` is used only if there is no `CLAUDE.md`. */
async function loadFolder(
  folder: string,
  rules: SourceRules,
  { load, reads }: { readonly load: Load; reads(source: SettingSource): boolean },
): Promise<InstructionFile[]> {
  const files: InstructionFile[] = [];
  const add = async (name: string) => {
    const loaded = await load(join(folder, name), rules);
    files.push(...(loaded ?? []));
    return loaded !== undefined;
  };
  if (reads('project')) {
    const hasOwn = await add('CLAUDE.md');
    await add(join('.claude', 'CLAUDE.md'));
    if (!hasOwn) await add('AGENTS.md');
  }
  if (reads('local')) await add('CLAUDE.local.md');
  return files;
}

type Loading = {
  readonly host: Host;
  readonly path: string;
  readonly rules: SourceRules;
  readonly seen: Set<string>;
  readonly warnings: string[];
  readonly budget: LoadBudget;
};

async function loadFile(loading: Loading): Promise<LoadedFile> {
  const { host, path, rules, seen, warnings, budget } = loading;
  const skip = (reason: string) => {
    warnings.push(`${path} was not loaded: ${reason}`);
    return [];
  };
  if (!budget.mayLook(path)) return [];
  const refuse = (real: string) => {
    if (seen.has(real)) return SEEN;
    if (rules.isRuledOut(path) || rules.isRuledOut(real)) return RULED_OUT;
    return rules.mayRead(real) ? undefined : `it points outside the project (to ${real})`;
  };
  const read = await readRegularFile(host.files, path, { most: MAX_INSTRUCTION_BYTES, refuse });
  if (read.kind === 'absent') return undefined;
  if (read.kind === 'refused') return read.reason === SEEN ? [] : skip(read.reason);
  const text = read.bytes.toString('utf8').replace(/^\uFEFF/, '');
  if (text.includes('\0')) return skip('it is not a text file');
  if (!budget.mayKeep(path, read.bytes.length)) return [];
  seen.add(read.real);
  const expanded = await expandImports({ ...loading, text });
  return expanded.trim() === '' ? [] : [{ path, text: expanded }];
}

const SEEN = 'seen';
