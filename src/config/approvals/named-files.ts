/**
 * The scripts of a project that a command names, with a hash of what they contain: who approves a hook approves the
 * script it runs, too (GT-3). What a command runs without naming it (`npm run x`, a script that starts another, a folder
 * it changes to) can't be told. Files that it only reads or writes are not among them: they may change.
 */

import { createHash } from 'node:crypto';
import { isAbsolute, join, relative, resolve } from 'node:path';
import type { Host } from '../../host/host.js';
import { personHome } from '../paths.js';

export type NamedCommand = {
  readonly command: string;
  /** With these, `command` is a program, started without a shell. */
  readonly args?: readonly string[];
};

/** Path from the project's root → hash. */
export type NamedFiles = Readonly<Record<string, string>>;

/** One look at all commands of a project: each file is read once, and there is an end to it. */
export type FileLook = {
  readonly host: Host;
  /** Only files that are named relative to where the command runs. */
  readonly relativeOnly: boolean;
  readonly projectRoot: string;
  /** Where the command runs: the project's root if omitted. */
  readonly base?: string;
  readonly seen: Map<string, Promise<SeenFile | undefined>>;
  left: number;
};

type SeenFile = {
  readonly name: string;
  readonly hash: string;
  /** Executable, or with the first line or the ending of a script. */
  readonly isScript: boolean;
};

/** A project with a hundred hooks needs less; a hostile one must not keep us. */
const MOST_LOOKUPS = 2_000;
/** Larger ones are compared by size, time and identity. */
const MOST_BYTES = 4 * 1024 * 1024;

export function lookAtFiles(host: Host, projectRoot: string, relativeOnly = false): FileLook {
  return { host, relativeOnly, projectRoot, seen: new Map(), left: MOST_LOOKUPS };
}

/** The same for commands that run in a folder of the project. */
export function lookFrom(host: Host, projectRoot: string, base: string): FileLook {
  return { ...lookAtFiles(host, projectRoot), base };
}

/** Undefined if there are too many to look at. */
export async function hashNamedFiles(look: FileLook, command: NamedCommand): Promise<NamedFiles | undefined> {
  const files: [string, string][] = [];
  for (const [path, isRun] of pathsIn(command, look)) {
    if (!look.seen.has(path)) {
      if (look.left === 0) return undefined;
      look.left -= 1;
      look.seen.set(
        path,
        lookAt(look, path).catch(() => undefined),
      );
    }
    const found = await look.seen.get(path);
    if (found !== undefined && (isRun || found.isScript)) files.push([found.name, found.hash]);
  }
  return Object.fromEntries(files.sort(([a], [b]) => (a < b ? -1 : 1)));
}

const OF_PROJECT = /\$\{?(?:CLAUDE_PROJECT_DIR|COPPICE_PROJECT_DIR)\b\}?/g;
const OF_HOME = /^~(?=\/)|\$\{?HOME\b\}?/g;

/** The paths it names, and whether each is what an interpreter is to run. */
function pathsIn(
  { command, args }: NamedCommand,
  { host, relativeOnly, projectRoot, base = projectRoot }: FileLook,
): ReadonlyMap<string, boolean> {
  const home = personHome(host.env);
  const paths = new Map<string, boolean>();
  for (const words of args === undefined ? shellWords(command) : [[command, ...args]]) {
    for (const [index, word] of words.entries()) {
      const path = word
        .replace(OF_PROJECT, () => projectRoot)
        .replace(/\$\{?PWD\b\}?/g, () => base)
        .replace(OF_HOME, () => home);
      if (path === '' || path.length > 1_024 || path.includes('\0')) continue;
      if (relativeOnly && isAbsolute(word.replace(OF_PROJECT, '/').replace(OF_HOME, '/'))) continue;
      const absolute = isAbsolute(path) ? resolve(path) : join(base, path);
      paths.set(absolute, paths.get(absolute) === true || isOperandOfInterpreter(words, index));
    }
  }
  return paths;
}

/**
 * The words of a line, in two readings: as the shell splits it, and with what stands in quotes split too, for
 * `sh -c "./a.sh; ./b.sh"` and `--file=c.py`. What output is redirected to is not a word.
 */
function shellWords(line: string): readonly (readonly string[])[] {
  const whole = line.match(/(?:[^\s"'\\;&|<>()]|\\[\s\S]|'[^']*'|"(?:[^"\\]|\\[\s\S])*"|["'\\])+|>+|[;&|<()]/g) ?? [];
  const kept = whole.filter((word, index) => !/^>+$/.test(word) && !/^>+$/.test(whole[index - 1] ?? ''));
  const bare = kept.map(withoutQuotes);
  const pieces = withoutQuotes(line).replace(/>+\s*[^\s;&|<>()]+/g, ' ');
  return [bare, pieces.split(/[\s;&|<()=`,]+/)];
}

function withoutQuotes(text: string): string {
  return text.replace(/["']|\\(?=.)/gs, '');
}

const INTERPRETER =
  /^(?:\.|source|exec|env|(?:ba|da|z|k|mk|a|c|tc|fi)?sh|python[\d.]*|pypy[\d.]*|node|nodejs|deno|bun|run|tsx|ts-node|ruby|perl|php|lua|luajit|awk|gawk|mawk|sed|make|gmake|just|jq|osascript|pwsh|Rscript|julia|expect|tclsh)$/;

function isOperandOfInterpreter(words: readonly string[], index: number): boolean {
  let at = index - 1;
  while (words[at]?.startsWith('-')) at -= 1;
  return INTERPRETER.test(words[at]?.replace(/^.*\//, '') ?? '');
}

const SCRIPT_ENDING =
  /\.(?:[cm]?[jt]sx?|py|rb|pl|php|lua|sh|bash|zsh|fish|ksh|ps1|awk|sed|mk|jq|exs?|jl|r|tcl|groovy|kts?)$/i;

async function lookAt({ host, projectRoot }: FileLook, path: string): Promise<SeenFile | undefined> {
  const { files } = host;
  const real = await files.realpath(path);
  const isOurs = isInside(projectRoot, real);
  if (!isOurs && !isInside(projectRoot, path)) return undefined;
  const stat = await files.stat(real);
  if (stat?.kind !== 'file') return undefined;
  const name = relative(projectRoot, isInside(projectRoot, path) ? path : real);
  // A link of the project that leads out of it: where it leads to is the project's choice, what is there is not.
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

function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== '' && way !== '..' && !way.startsWith('../') && !isAbsolute(way);
}
