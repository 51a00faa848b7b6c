/** Examines a git command: reading only, committing in one of our worktrees, or something that a rule may cover by name. */

import { join } from 'node:path';
import { findCommand } from '../programs/find-program.js';
import { findRisks } from '../programs/find-risks.js';
import { possiblePaths } from '../programs/possible-paths.js';
import type { Program, Reader } from '../programs/program.js';
import { findWritten } from '../programs/written-paths.js';
import type { Finding, PathUse } from './finding.js';
import { type GivenOption, type Problem, readOptions } from './read-options.js';

const HARMLESS_GLOBALS = new Set([
  '--no-pager',
  '-P',
  '--no-optional-locks',
  '--literal-pathspecs',
  '--no-replace-objects',
  '--icase-pathspecs',
]);

/** As a reader: its problems are the reasons why it is not proven. */
export function examineGitRead(words: readonly string[]): Finding {
  const found = examineGit(words, false);
  return found.unproven === undefined ? found : { ...found, reads: true, problems: found.unproven };
}

export function examineGit(words: readonly string[], ownWorktree: boolean): Finding {
  const globals = readGlobals(words);
  const { at, folder } = globals;
  const name = words[at];
  if (name === '--version' && words.length === at + 1) return { reads: true, problems: [], paths: [] };
  const found =
    name === undefined || name.startsWith('-')
      ? unknown([
          ...findRisks(words),
          { at: words.length - 1, reason: `git's ${name ?? 'bare call'} is not known to be harmless` },
        ])
      : examineNamed(words, at, name, ownWorktree && folder === undefined);
  if (folder === undefined) return found;
  // Its paths are relative to the folder it works in. `..` after a link leads elsewhere than the words suggest.
  const climbs = [folder.path, ...found.paths.map((use) => use.path)].some((path) => path.split('/').includes('..'));
  const paths = found.paths.map((use) => ({ ...use, path: within(folder.path, use.path) }));
  const problems = climbs
    ? [...found.problems, { at: folder.at, reason: 'it is unclear where git works' }]
    : found.problems;
  return { ...found, folder, problems, paths: [{ ...folder, use: 'read' }, ...paths] };
}

type Globals = { readonly at: number; readonly folder?: NonNullable<Finding['folder']> };

function readGlobals(words: readonly string[]): Globals {
  let folder: Globals['folder'];
  let at = 1;
  for (; at < words.length; at += 1) {
    // A second one would start from the real target of the first.
    const path = words[at] === '-C' && folder === undefined ? words[at + 1] : undefined;
    if (path !== undefined && path !== '') {
      folder = { at: at + 1, path };
      at += 1;
    } else if (!HARMLESS_GLOBALS.has(words[at] ?? '')) break;
  }
  return folder === undefined ? { at } : { at, folder };
}

function within(folder: string, path: string): string {
  return /^[/~]/.test(path) ? path : join(folder, path);
}

function examineNamed(words: readonly string[], at: number, name: string, ownWorktree: boolean): Finding {
  const { row, unknown: isUnknown } = findCommand(['git', name]) ?? { row: {}, unknown: true };
  const command: Program = isUnknown === true ? {} : row;
  const proof = typeof command.reads === 'object' ? examineRead(words, at, name, command.reads) : undefined;
  if (proof !== undefined && proof.problems.length === 0) return proof;
  // The forms of `git add` and `git commit` that need no permission in one of our worktrees (GT-22).
  const { creates } = command;
  if (ownWorktree && creates !== undefined) {
    const found = readOptions(words, at + 1, creates);
    if (found.problems.length === 0)
      return { reads: false, edits: true, problems: [], paths: operandPaths(found.operands, 'read'), repo: true };
  }
  return {
    ...examineChange(words, at, command),
    ...(proof === undefined ? {} : { unproven: proof.problems, ...historyOf(proof) }),
  };
}

function historyOf({ printsHistory }: Finding): Pick<Finding, 'printsHistory'> {
  return printsHistory === true ? { printsHistory } : {};
}

/** What it may do under a rule: its risks, and the files that its words may name. */
function examineChange(words: readonly string[], at: number, command: Program): Finding {
  const files = command.writes?.split(' ').includes('=') === true || command.reads !== undefined;
  const shown = optionFiles(words, at).map(
    ({ value, at: index }): PathUse => ({ at: index, path: value, use: 'read' }),
  );
  const paths = files || Object.keys(command).length === 0 ? possiblePaths(words, 'unknown', at + 1) : shown;
  return { ...unknown(findRisks(words)), paths: [...findWritten(command, words), ...paths] };
}

/** `-F file` of a message. */
function optionFiles(words: readonly string[], at: number): readonly { readonly value: string; readonly at: number }[] {
  return words.flatMap((word, index) => {
    if (index <= at) return [];
    const attached = /^(?:-[a-zA-Z]*F(.+)|--file=([\s\S]+))$/.exec(word);
    if (attached !== null) return [{ value: attached[1] ?? attached[2] ?? '', at: index }];
    const next = words[index + 1];
    return /^(?:-[a-zA-Z]*F|--file)$/.test(word) && next !== undefined ? [{ value: next, at: index + 1 }] : [];
  });
}

function examineRead(words: readonly string[], at: number, name: string, spec: Reader): Finding {
  const listed = name === 'tag' && /^(?:-l|-n\d+)$/.test(words[at + 1] ?? '');
  const given = listed ? words.with(at + 1, '--list') : words;
  const { operands, options, problems } = readOptions(given, at + 1, spec);
  const names = new Set(options.map((option) => option.name));
  const values = operands.map((operand) => operand.value);
  const { operands: take } = spec;
  const fits = typeof take === 'function' ? take(names, values) : take !== 'none' || values.length === 0;
  // Anywhere else the word is a path or a pattern, and the sub-command is a different one.
  const isVerb = name === 'stash' || name === 'remote' || name === 'reflog' || name === 'worktree';
  const isPlaced = !isVerb || operands[0] === undefined || operands[0].at === at + 1;
  const odd: Problem[] =
    fits && isPlaced ? [] : [{ at: words.length - 1, reason: `git ${name} may change something with these words` }];
  for (const option of options) {
    // %G… in a format checks signatures with the program that the repository names.
    if (/^(?:format|pretty)$/.test(option.name) && /%G/.test(option.value))
      odd.push({ at: option.at, reason: 'this format runs the signature program' });
  }
  if (name === 'config' && !isOfRepository(names, values))
    odd.push({ at: words.length - 1, reason: 'it may print a token from your own settings', option: true });
  const hasPattern = name === 'grep' && !names.has('e');
  const prints = problems.length > 0 ? spec.prints !== undefined : spec.prints?.(names, values) === true;
  return {
    reads: true,
    problems: [...problems, ...odd],
    paths: [...operandPaths(hasPattern ? operands.slice(1) : operands, 'read'), ...linePaths(options)],
    repo: true,
    ...(prints ? { printsHistory: true } : {}),
  };
}

/** Settings of the repository, and those that hold no secret. */
function isOfRepository(options: ReadonlySet<string>, [key = '']: readonly string[]): boolean {
  if (options.has('local') || options.has('worktree')) return true;
  if (options.has('list') || options.has('l') || options.has('get-regexp')) return false;
  return /^(?:user\.(?:name|email)|(?:core|init|pull|push|fetch|merge|rebase|diff|color|branch|remote|advice|commit)\..+)$/i.test(
    key,
  );
}

/** `-L 1,5:file`. */
function linePaths(options: readonly GivenOption[]): readonly PathUse[] {
  return options.flatMap(({ name, value, at }): PathUse[] => {
    const path = name === 'L' ? /^.*:(.+)$/.exec(value)?.[1] : undefined;
    return path === undefined ? [] : [{ at, path, use: 'read' }];
  });
}

/**
 * With two paths outside the repository, `git diff` compares plain files, so anything that looks like a path is treated as
 * one. In `HEAD:path`, `:0:path` and `stash@{0}:path` it is the part after the revision.
 */
function operandPaths(operands: readonly { value: string; at: number }[], use: PathUse['use']): readonly PathUse[] {
  return operands.flatMap(({ value, at }): PathUse[] => {
    // Special pathspecs, and a search for a commit.
    if (/^:[(!^/]/.test(value)) return [];
    const inTree = /^(?::(?:[0-3]:)?|(?:[^:{]|\{[^}]*\})+:)([\s\S]*)$/.exec(value)?.[1];
    // Outside a repository the whole word is a file.
    return [inTree, value].flatMap((path) => (path === undefined || path === '' ? [] : [{ at, path, use }]));
  });
}

function unknown(problems: readonly Problem[]): Finding {
  return { reads: false, problems, paths: [], repo: true };
}

/** True if it may print content by its object name, which no path rule can cover: `git cat-file -p 3b18e5`. */
export function namesContent(words: readonly string[], finding: Finding): boolean {
  const isNamed = words.some((word) => /^[0-9a-f]{4,64}$/i.test(word) || word === 'cat-file' || word === 'fsck');
  return isNamed && (finding.printsHistory === true || words.includes('cat-file') || words.includes('fsck'));
}
