/**
 * Finds the scripts of a project that a command names, with a hash of their content: approving a hook approves the script
 * it runs (GT-3), and the files that define what well-known programs run (`npm run x`, `make`, `node .`). If the command
 * computes what it runs, all scripts of the folders concerned are included. What a script
 * loads or starts in turn can't be determined. Files that it only reads or writes may change, so they are not included.
 */

import { createHash } from 'node:crypto';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import type { Host } from '../../host/host.js';
import { isInside } from '../path-within.js';
import { userHome } from '../paths.js';
import { computesWhatRuns, literalFolder, resolveSubstitutions } from './computed-words.js';
import {
  filesOfPackage,
  foldersIn,
  moduleCandidates,
  type RunWord,
  readWord,
  shellWords,
  unnamedFiles,
} from './executed-files.js';

export type NamedCommand = {
  readonly command: string;
  /** With these, `command` is a program, started without a shell. */
  readonly args?: readonly string[];
};

/** Path from the project's root → hash. */
export type NamedFiles = Readonly<Record<string, string>>;

/** One scan for all commands of a project: each file is read once, and the number of lookups is limited. */
export type FileScan = {
  readonly host: Host;
  /** Include only files with a path relative to the command's folder. */
  readonly relativeOnly: boolean;
  readonly projectRoot: string;
  /** The folder the command runs in; the project's root if omitted. */
  readonly base?: string;
  /**
   * Includes files that programs run without naming them (package.json for `npm run x`). Not for hooks: agents change such
   * files as part of their work, and `npm run format` would no longer run.
   */
  readonly unnamedToo?: boolean;
  readonly seen: Map<string, Promise<SeenFile | undefined>>;
  left: number;
};

type SeenFile = {
  readonly name: string;
  readonly hash: string;
  /** Executable, or with a script's first line or extension. */
  readonly isScript: boolean;
};

/** More than a project with a hundred hooks needs; a hostile one must not stall us. */
const MOST_LOOKUPS = 4_000;
/** Larger ones are compared by size, time and identity. */
const MOST_BYTES = 4 * 1024 * 1024;

export function createFileScan(host: Host, projectRoot: string, relativeOnly = false): FileScan {
  return { host, relativeOnly, projectRoot, seen: new Map(), left: MOST_LOOKUPS };
}

/** For servers, which run in a folder of the project. */
export function createServerScan(host: Host, projectRoot: string, base: string): FileScan {
  return { ...createFileScan(host, projectRoot), base, unnamedToo: true };
}

/** Undefined if there are too many to check. */
export async function hashNamedFiles(scan: FileScan, command: NamedCommand): Promise<NamedFiles | undefined> {
  const files = new Map<string, string>();
  const paths = pathsIn(command, scan);
  for (const path of await computedPaths(scan, command)) addPath(paths, path, SCRIPTS_ONLY);
  // Modules add further candidates during the loop.
  for (const [path, { isRun, isModule }] of paths) {
    if (!scan.seen.has(path)) {
      if (scan.left === 0) return undefined;
      scan.left -= 1;
      scan.seen.set(
        path,
        scanFile(scan, path).catch(() => undefined),
      );
    }
    const found = await scan.seen.get(path);
    if (found !== undefined && (isRun || found.isScript)) files.set(found.name, found.hash);
    if (found !== undefined || !isModule) continue;
    for (const one of [...moduleCandidates(path), join(path, 'package.json')]) addPath(paths, one, ALWAYS_RUN);
    for (const one of await mainsOf(scan, path)) addPath(paths, one, { isRun: true, isModule: one !== path });
  }
  return Object.fromEntries([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
}

const ALWAYS_RUN: RunWord = { isRun: true, isModule: false };
const SCRIPTS_ONLY: RunWord = { isRun: false, isModule: false };

/** All files below the folders in which a command computes what it runs; the whole project's if it names none. */
async function computedPaths(scan: FileScan, named: NamedCommand): Promise<readonly string[]> {
  const { host, projectRoot, base = projectRoot } = scan;
  const places = placesIn(scan);
  const texts = named.args === undefined ? [named.command] : named.args.filter((arg) => /\s/.test(arg));
  const computing = texts.map(resolveSubstitutions).filter((text) => computesWhatRuns(text, places));
  if (computing.length === 0) return [];
  const folders = new Set<string>();
  for (const words of computing.flatMap(shellWords)) {
    const bases = [base, ...foldersIn(words).map((folder) => resolve(base, places(folder)))];
    for (const word of words) {
      const folder = literalFolder(places(word));
      if (folder === undefined || folder === '' || folder.length > 1_024 || folder.includes('\0')) continue;
      for (const from of bases) folders.add(await folderOf(host, resolve(from, folder)));
    }
  }
  const inside = [...folders].filter((folder) => isInside(projectRoot, folder));
  const paths: string[] = [];
  for (const folder of inside.length > 0 ? inside : [projectRoot]) await listBelow(scan, folder, paths);
  return paths;
}

/** The folder at a path, or that of the file there; empty if there is neither. */
async function folderOf({ files }: Host, path: string): Promise<string> {
  const stat = await files.stat(path).catch(() => undefined);
  return stat?.kind === 'folder' ? path : stat === undefined ? '' : dirname(path);
}

const NOT_SEARCHED: ReadonlySet<string> = new Set(['.git', 'node_modules', 'worktrees']);

/** Stops when there are more than can be checked. */
async function listBelow(scan: FileScan, folder: string, paths: string[]): Promise<void> {
  for (const { name, kind } of await scan.host.files.list(folder, MOST_LOOKUPS + 1).catch(() => [])) {
    if (paths.length > MOST_LOOKUPS) return;
    const path = join(folder, name);
    if (kind !== 'folder') paths.push(path);
    else if (!NOT_SEARCHED.has(name)) await listBelow(scan, path, paths);
  }
}

/** The entry points declared by the package in a folder of the project. */
async function mainsOf({ host: { files }, projectRoot }: FileScan, folder: string): Promise<readonly string[]> {
  const path = join(folder, 'package.json');
  try {
    const stat = isInside(projectRoot, await files.realpath(path)) ? await files.stat(path) : undefined;
    if (stat?.kind !== 'file' || stat.size > MOST_BYTES) return [];
    return filesOfPackage((await files.read(path)).toString('utf8')).map((main) => resolve(folder, main));
  } catch {
    return [];
  }
}

const OF_PROJECT =
  /\$\{(?:CLAUDE_PROJECT_DIR|COPPICE_PROJECT_DIR)(?::?-[^{}]*)?\}|\$(?:CLAUDE_PROJECT_DIR|COPPICE_PROJECT_DIR)\b/g;
const OF_HOME = /^~(?=\/)|\$\{?HOME\b\}?/g;

/** Replaces the variables that stand for a known folder. */
function placesIn({ host, projectRoot, base = projectRoot }: FileScan): (text: string) => string {
  const home = userHome(host.env);
  return (text) =>
    text
      .replace(OF_PROJECT, () => projectRoot)
      .replace(/\$\{?PWD\b\}?/g, () => base)
      .replace(OF_HOME, () => home);
}

/** The paths that a command names or implies, and how to interpret each. */
function pathsIn({ command, args }: NamedCommand, scan: FileScan): Map<string, RunWord> {
  const { relativeOnly, projectRoot, base = projectRoot, unnamedToo = false } = scan;
  const paths = new Map<string, RunWord>();
  const places = placesIn(scan);
  const text = resolveSubstitutions(command);
  for (const [reading, words] of (args === undefined ? shellWords(text) : [[command, ...args]]).entries()) {
    const bases = [base, ...foldersIn(words).map((folder) => resolve(base, places(folder)))];
    for (const from of bases) {
      for (const [index] of words.entries()) {
        const { path: word, ...how } = readWord(words, index);
        const path = places(word);
        if (path === '' || path.length > 1_024 || path.includes('\0')) continue;
        if (relativeOnly && isAbsolute(word.replace(OF_PROJECT, '/').replace(OF_HOME, '/'))) continue;
        addPath(paths, resolve(from, path), how);
      }
      for (const file of unnamedToo && reading === 0 ? unnamedFiles(words) : []) {
        for (const folder of foldersUpTo(projectRoot, from)) addPath(paths, join(folder, file), ALWAYS_RUN);
      }
    }
  }
  return paths;
}

/** A path that gets a broader interpretation than before is checked again. */
function addPath(paths: Map<string, RunWord>, path: string, { isRun, isModule }: RunWord): void {
  const before = paths.get(path);
  if (before !== undefined && (before.isRun || !isRun) && (before.isModule || !isModule)) return;
  paths.delete(path);
  paths.set(path, { isRun: isRun || before?.isRun === true, isModule: isModule || before?.isModule === true });
}

/** Programs search this folder and each parent. */
function foldersUpTo(root: string, folder: string): readonly string[] {
  if (!isInside(root, folder)) return [root];
  return [folder, ...foldersUpTo(root, dirname(folder))];
}

const SCRIPT_ENDING =
  /\.(?:[cm]?[jt]sx?|py|rb|pl|php|lua|sh|bash|zsh|fish|ksh|ps1|awk|sed|mk|jq|exs?|jl|r|tcl|groovy|kts?)$/i;

async function scanFile({ host, projectRoot }: FileScan, path: string): Promise<SeenFile | undefined> {
  const { files } = host;
  const real = await files.realpath(path);
  const isOurs = isInside(projectRoot, real);
  if (!isOurs && !isInside(projectRoot, path)) return undefined;
  const stat = await files.stat(real);
  if (stat?.kind !== 'file') return undefined;
  const name = relative(projectRoot, isInside(projectRoot, path) ? path : real);
  // A link out of the project: its target is the project's choice, the target's content is not.
  if (!isOurs) return { name, hash: `link ${real}`, isScript: true };
  const looksRun = (stat.mode & 0o111) !== 0 || SCRIPT_ENDING.test(path) || SCRIPT_ENDING.test(real);
  if (stat.size > MOST_BYTES) {
    return { name, hash: `large ${stat.size} ${stat.mtimeMs} ${stat.identity}`, isScript: looksRun };
  }
  const content = await files.read(real);
  const hash = createHash('sha256').update(content).digest('hex');
  const isScript = looksRun || content.subarray(0, 2).toString('latin1') === '#!';
  return { name, hash: real === path ? hash : `${hash} ${relative(projectRoot, real)}`, isScript };
}
