/**
 * Checks whether a line fits into the read-only sandbox (GT-24): there only the programs matter, and the shell around them
 * is unrestricted. Doubts are: a program not known to read, a computed program name, output into a file, a path outside
 * the roots, and output that would differ in the sandbox.
 */

import { findProgram, isBuiltin } from '../../programs/find-program.js';
import { findQuery } from '../../programs/find-query.js';
import { foldersOf, isStraight } from '../assess-paths.js';
import { examineProgram } from '../examine-program.js';
import type { LineInput } from '../parts/line-assessment.js';
import { readCommand } from '../reading/read-command.js';
import type { ShellCommand, ShellReading, ShellRedirect, ShellWord } from '../reading/shell-reading.js';
import { examineBoxGit } from './box-git.js';
import { type BoxLine, findBoxProgram } from './box-programs.js';
import { isSameInBox, mayBeSet, mayBeSetInShell } from './box-variables.js';
import { findOutside } from './outside-paths.js';

export type ConfinedAssessment =
  | {
      readonly fits: true /** Real paths outside the roots that rules allow to be read. */;
      readonly show: readonly string[];
      readonly blindTo: readonly string[];
      readonly wholeGit: boolean;
    }
  /** Every part that does not fit, with the objection to it. */
  | { readonly fits: false; readonly problems: readonly { readonly part: string; readonly reason: string }[] };

const DEEPEST = 6;
const TOO_DEEP = 'it nests commands too deep to follow';

export function assessConfined(input: LineInput): ConfinedAssessment {
  const show = new Set<string>();
  const walk: Walk = { input, show, blindTo: new Set(), depth: 0 };
  const { reading } = input;
  const around = aroundProblem(reading, walk);
  if (around !== undefined) return { fits: false, problems: [{ part: reading.text, reason: around }] };
  const problems = reading.commands.flatMap((command) => {
    const reason = partProblem(command, walk);
    return reason === undefined ? [] : [{ part: command.text, reason }];
  });
  return problems.length === 0
    ? { fits: true, show: [...show], blindTo: [...walk.blindTo], wholeGit: needsWholeGit(input) }
    : { fits: false, problems };
}

/** Where git is not whole, a line of nothing but git and plain filters sees all of its repository. */
export function needsWholeGit({ reading, policy }: LineInput): boolean {
  if (policy.box?.gitIsWhole !== false) return false;
  const names = reading.commands.map(({ words }) => words[0]?.value ?? '');
  return names.includes('git') && reading.commands.every(isGitOrFilter);
}

const FILTERS = /^(?:e?grep|fgrep|head|tail|wc|sort|uniq|cut|tr|cat|column|nl|echo|printf|true|false|:|pwd|date)$/;

/** It reads another program's output, or prints what is in the line; no file, and no text that is code. */
function isGitOrFilter({ words, redirects }: ShellCommand): boolean {
  const values = words.map(({ value }) => value);
  const hasFiles = redirects.some(({ kind }) => kind === 'read' || kind === 'body');
  if (hasFiles || values.includes(undefined)) return false;
  if (values[0] === 'git' || words.length === 0) return true;
  const literal = values.map((value) => value ?? '');
  return FILTERS.test(literal[0] ?? '') && examineProgram(literal, false).paths.length === 0;
}

type Walk = {
  readonly input: LineInput;
  readonly show: Set<string>;
  readonly blindTo: Set<string>;
  readonly depth: number;
};

function readingProblem(reading: ShellReading, walk: Walk): string | undefined {
  const around = aroundProblem(reading, walk);
  if (around !== undefined) return around;
  for (const command of reading.commands) {
    const problem = partProblem(command, walk);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function partProblem({ words, redirects }: ShellCommand, walk: Walk): string | undefined {
  return redirectsProblem(redirects, walk) ?? (words.length > 0 ? commandProblem(words, walk) : undefined);
}

/** Problems of the shell around the commands. */
function aroundProblem(reading: ShellReading, walk: Walk): string | undefined {
  const [doubt] = reading.doubtsInBox;
  if (doubt !== undefined) return `the command is not plain: ${doubt}`;
  if (!reading.parsed) return 'the command could not be read';
  if (reading.commands.length === 0) return 'there is no command in it';
  const sets = new Set([...reading.sets, ...reading.commands.flatMap(namesRead)]);
  const given = reading.commands.flatMap(({ words, assignments }) => (words.length > 0 ? assignments : []));
  const bad = given.find(({ name }) => !mayBeSet(name))?.name ?? [...sets].find((name) => !mayBeSetInShell(name));
  if (bad !== undefined) return `it sets ${bad}`;
  for (const name of reading.expands) {
    if (!isSameInBox(name, sets)) return `the value of ${name} is not known where it is confined`;
  }
  for (const word of reading.looseWords) {
    const outside = wordProblem(word, walk);
    if (outside !== undefined) return outside;
  }
  return undefined;
}

/** The variables that `read` and `mapfile` set. */
function namesRead({ words }: ShellCommand): readonly string[] {
  if (!/^(?:read|mapfile|readarray)$/.test(words[0]?.value ?? '')) return [];
  return words.slice(1).flatMap(({ value }) => (value !== undefined && /^[A-Za-z_]\w*$/.test(value) ? [value] : []));
}

function redirectsProblem(redirects: readonly ShellRedirect[], walk: Walk): string | undefined {
  for (const redirect of redirects) {
    if (redirect.kind === 'duplicate' || redirect.kind === 'body') continue;
    const { value, raw } = redirect.target;
    if (/^\/dev\/(?:null|stdout|stderr|stdin)$/.test(value ?? '')) continue;
    if (redirect.kind !== 'read') return `it writes to ${value ?? raw}`;
    const outside = wordProblem(redirect.target, walk);
    if (outside !== undefined) return outside;
  }
  return undefined;
}

function commandProblem(words: readonly ShellWord[], walk: Walk): string | undefined {
  const [first] = words;
  if (first === undefined) return 'it runs a program that is not named';
  if (first.value === undefined || first.glob) return 'the name of a program in it is computed';
  const name = /^\/(?:usr\/)?bin\/[^/]+$/.test(first.value)
    ? first.value.slice(first.value.lastIndexOf('/') + 1)
    : first.value;
  const line: BoxLine = {
    runs: (inner) => (walk.depth >= DEEPEST ? TOO_DEEP : commandProblem(inner, { ...walk, depth: walk.depth + 1 })),
    runsText: (text) => innerProblem(text, walk),
    sets: (set) => (mayBeSet(set) ? undefined : `it sets ${set}`),
  };
  if (!isBuiltin(name) && walk.input.policy.isOfRoots?.(name) === true)
    return `${name} is a program of the working folder here`;
  const { blindTo } = findProgram(name) ?? {};
  if (blindTo !== undefined) walk.blindTo.add(blindTo);
  const own =
    name === 'git'
      ? examineBoxGit(words, walk.input, needsWholeGit(walk.input))
      : examineListed(name, words, line, walk);
  return own ?? pathsProblem(name, words, walk);
}

function examineListed(name: string, words: readonly ShellWord[], line: BoxLine, walk: Walk): string | undefined {
  const listed = findBoxProgram(name);
  if (listed !== undefined) return listed(words, line);
  const literal = literalWords(words);
  const finding = literal === undefined ? undefined : examineProgram([name, ...literal.slice(1)], false);
  // Queries to tools that the project may configure: in a trusted folder, what they run is confined too.
  const isQuery = finding?.confinedOnly === true && finding.reads && finding.problems.length === 0;
  if (isQuery && walk.input.policy.trusted) return undefined;
  if (isQuery) return `${name} may run what the project configures, and the folder is not trusted`;
  if (literal !== undefined && findQuery([name, ...literal.slice(1)]) !== undefined) {
    const { isOfSystem, trusted } = walk.input.policy;
    // Elsewhere a file of the project may choose what runs under that name.
    if (trusted || isOfSystem === undefined || isOfSystem(name)) return undefined;
    return `${name} is not a program of the system here, and the folder is not trusted`;
  }
  // The operands of a program that only creates files are known; those of any other are only possible paths.
  const made = finding?.edits === true ? finding.paths.find(({ use }) => use === 'write') : undefined;
  if (made === undefined) return `no rule allows ${name}, and it is not known to only read`;
  return `it changes ${walk.input.resolver.resolve(made.path, walk.input.cwds[0] ?? '/').lexical}`;
}

function innerProblem(text: string, walk: Walk): string | undefined {
  if (walk.depth >= DEEPEST) return TOO_DEEP;
  const { input } = walk;
  const reading = readCommand(text);
  const cwds = new Set<string>();
  for (const cwd of input.cwds) {
    for (const folder of foldersOf(reading.commands, cwd, input.policy.home) ?? [cwd]) cwds.add(folder);
  }
  return readingProblem(reading, { ...walk, input: { ...input, reading, cwds: [...cwds] }, depth: walk.depth + 1 });
}

/** If the options are known, so are the words that are paths: a pattern that looks like one is not. */
function pathsProblem(name: string, words: readonly ShellWord[], walk: Walk): string | undefined {
  if (name === 'cd' && staysInside(walk.input)) return undefined;
  // It only prints its words; a pattern among them would list a folder.
  if (findProgram(name)?.texts === '=' && words.every(({ glob, computed }) => !glob && computed?.isOneWord !== false))
    return undefined;
  const literal = literalWords(words);
  const finding = literal === undefined ? undefined : examineProgram([name, ...literal.slice(1)], false);
  if (finding === undefined || !finding.reads || finding.problems.length > 0) return wordsProblem(words.slice(1), walk);
  const used = new Set(finding.paths.map(({ at }) => at));
  return wordsProblem(
    words.filter((_, at) => used.has(at) && at > 0),
    walk,
  );
}

/** Each `cd` starts where the one before ended, all of them inside. */
export function staysInside({ reading, cwds, resolver }: LineInput): boolean {
  return isStraight(reading.text) && cwds.every((cwd) => resolver.isReadable(resolver.resolve('.', cwd)));
}

function literalWords(words: readonly ShellWord[]): readonly string[] | undefined {
  const values = words.map(({ value }) => value);
  return values.every((value) => value !== undefined) ? values : undefined;
}

function wordsProblem(words: readonly ShellWord[], walk: Walk): string | undefined {
  for (const word of words) {
    const problem = wordProblem(word, walk);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function wordProblem(word: ShellWord, { input, show }: Walk): string | undefined {
  const { outside, shown } = findOutside(word, input);
  for (const path of shown) show.add(path);
  return outside;
}
