/**
 * Loads instructions for agents: CLAUDE.md, AGENTS.md and rules, from the widest to the nearest scope.
 * They are data: nothing in them is executed. Files that can't be loaded are always reported.
 */

import { dirname, join } from 'node:path';
import type { Host } from '../host/host.js';
import { reasonOf } from '../protocol/reason-of.js';
import { foldersBetween, isInside } from './folders.js';
import type { InstructionFile } from './imports.js';
import { expandImports, type ImportRules, MAX_INSTRUCTION_BYTES } from './imports.js';
import { loadRules, type Rule, ruleApplies } from './rules.js';

export type InstructionsOptions = {
  readonly host: Host;
  /** The working folder, and the root of its repository (the same folder if there is none). */
  readonly folder: string;
  readonly root: string;
  /** `~/.claude` by default. */
  readonly configDir: string;
  readonly managedFile: string;
  readonly home: string;
};

export type Instructions = {
  readonly files: readonly InstructionFile[];
  readonly warnings: readonly string[];
  /**
   * Returns the instructions that apply once a file is used: nested ones, and rules for its path. `told` contains those
   * the agent already has; new ones are added to it.
   */
  forFile(path: string, told: Set<string>): Promise<readonly InstructionFile[]>;
};

export async function loadInstructions(options: InstructionsOptions): Promise<Instructions> {
  const { host, folder, root, configDir } = options;
  const warnings: string[] = [];
  const seen = new Set<string>();
  const own: ImportRules = { within: undefined, home: options.home };
  const project: ImportRules = { within: [root, configDir], home: options.home };
  const load = (path: string, imports: ImportRules) => loadFile(host, path, imports, seen, warnings);

  const files: InstructionFile[] = [
    ...(await load(options.managedFile, own)),
    ...(await load(join(configDir, 'CLAUDE.md'), own)),
  ];
  for (const one of foldersBetween(root, folder)) files.push(...(await loadFolder(host, one, project, load)));

  const rules: Rule[] = [];
  for (const [source, imports] of [
    [configDir, own],
    [join(root, '.claude'), project],
  ] as const) {
    rules.push(...(await loadRules(host, join(source, 'rules'), root, (path) => load(path, imports))));
  }
  const conditional = rules.filter((rule) => rule.patterns.length > 0);
  files.push(...rules.filter((rule) => rule.patterns.length === 0).map(({ path, text }) => ({ path, text })));

  const base = new Set(foldersBetween(root, folder));
  const nested = new Map<string, Promise<readonly InstructionFile[]>>();
  /** Read once for all agents. */
  const inFolder = (path: string) => {
    const known = nested.get(path) ?? loadFolder(host, path, project, load);
    nested.set(path, known);
    return known;
  };
  async function forFile(path: string, told: Set<string>): Promise<readonly InstructionFile[]> {
    const found: InstructionFile[] = [];
    for (const above of isInside(root, path) ? foldersBetween(root, dirname(path)) : []) {
      if (base.has(above) || told.has(above)) continue;
      told.add(above);
      found.push(...(await inFolder(above)));
    }
    for (const rule of conditional) {
      if (told.has(rule.path) || !(await ruleApplies(rule, path))) continue;
      told.add(rule.path);
      found.push({ path: rule.path, text: rule.text });
    }
    return found;
  }
  return { files, warnings, forFile };
}

export function describeInstructions(files: readonly InstructionFile[]): string {
  const parts = files.map((file) => `## From ${file.path}\n\n${file.text.trim()}`);
  return [
    '# Instructions',
    'Written by the person or their team for work here. The later, the nearer: on conflict the later holds.',
    ...parts,
  ].join('\n\n');
}

type Load = (path: string, imports: ImportRules) => Promise<readonly InstructionFile[]>;

/** Loads the files of one folder, in order of precedence. `AGENTS.md` is used only if there is no `CLAUDE.md`. */
async function loadFolder(host: Host, folder: string, imports: ImportRules, load: Load): Promise<InstructionFile[]> {
  const files: InstructionFile[] = [];
  const claude = join(folder, 'CLAUDE.md');
  const agents = (await host.files.lstat(claude)) === undefined ? [join(folder, 'AGENTS.md')] : [];
  for (const path of [claude, join(folder, '.claude', 'CLAUDE.md'), ...agents, join(folder, 'CLAUDE.local.md')]) {
    files.push(...(await load(path, imports)));
  }
  return files;
}

async function loadFile(
  host: Host,
  path: string,
  imports: ImportRules,
  seen: Set<string>,
  warnings: string[],
): Promise<readonly InstructionFile[]> {
  try {
    const stat = await host.files.stat(path);
    if (stat === undefined) return [];
    const real = await host.files.realpath(path);
    if (imports.within && !imports.within.some((folder) => isInside(folder, real))) {
      warnings.push(`${path} points outside the project (to ${real}) and was not loaded`);
      return [];
    }
    if (seen.has(real)) return [];
    seen.add(real);
    if (stat.kind !== 'file') {
      warnings.push(`${path} is not a file and was not loaded`);
      return [];
    }
    if (stat.size > MAX_INSTRUCTION_BYTES) {
      warnings.push(`${path} has ${stat.size} bytes and was not loaded (at most 4 MiB)`);
      return [];
    }
    const text = (await host.files.read(path)).toString('utf8').replace(/^\uFEFF/, '');
    if (text.includes('\0')) {
      warnings.push(`${path} is not a text file and was not loaded`);
      return [];
    }
    const expanded = await expandImports({ host, path, text, rules: imports, seen, warnings });
    return expanded.trim() === '' ? [] : [{ path, text: expanded }];
  } catch (error) {
    warnings.push(`${path} cannot be read: ${reasonOf(error)}`);
    return [];
  }
}
