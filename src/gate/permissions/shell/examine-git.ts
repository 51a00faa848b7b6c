/** Examines a git command: reading only, committing in one of our worktrees, or something that a rule may cover by name. */

import { join } from 'node:path';
import { GIT_READS, type GitRead } from '../programs/git-reads.js';
import { GIT_WRITES, type GitWrite } from '../programs/git-writes.js';
import { possiblePaths } from '../programs/possible-paths.js';
import { findUnlisted } from '../programs/unlisted-options.js';
import type { Finding, PathUse } from './finding.js';
import { type GivenOption, type OptionSpec, type Problem, readOptions } from './read-options.js';

const HARMLESS_GLOBALS = new Set([
  '--no-pager',
  '-P',
  '--no-optional-locks',
  '--literal-pathspecs',
  '--no-replace-objects',
  '--icase-pathspecs',
]);

/** The forms of `git add` and `git commit` that need no permission in one of our worktrees (GT-22). */
const WORKTREE_WRITES: Readonly<Record<string, OptionSpec>> = {
  add: { flags: 'AufvnN', longs: 'all update verbose dry-run intent-to-add no-all' },
  commit: {
    flags: 'aqvsn',
    valued: 'm',
    longs: 'all quiet verbose signoff no-verify allow-empty no-edit no-gpg-sign no-post-rewrite amend',
    longValued: 'message trailer author date',
  },
};

/** Sub-commands that read or change, depending on their words; only the reading forms are proven here. */
const MIXED = new Set(['branch', 'tag', 'remote', 'stash', 'reflog', 'worktree']);

export function examineGit(words: readonly string[], ownWorktree: boolean): Finding {
  const globals = readGlobals(words);
  const { at, folder } = globals;
  const name = words[at];
  if (name === '--version' && words.length === at + 1) return { reads: true, problems: [], paths: [] };
  const found =
    name === undefined || name.startsWith('-')
      ? unknown([{ at: words.length - 1, reason: `git's ${name ?? 'bare call'} is not known to be harmless` }])
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
  if (Object.hasOwn(GIT_READS, name)) {
    const found = examineRead(words, at, name, GIT_READS[name] ?? {});
    // Reading is proven by its list, even under a rule that names the sub-command.
    if (found.problems.length === 0 || !MIXED.has(name)) return found;
  }
  if (ownWorktree && Object.hasOwn(WORKTREE_WRITES, name)) {
    const found = readOptions(words, at + 1, WORKTREE_WRITES[name] ?? {});
    if (found.problems.length === 0)
      return { reads: false, edits: true, problems: [], paths: operandPaths(found.operands, 'read'), repo: true };
  }
  const write = Object.hasOwn(GIT_WRITES, name) ? GIT_WRITES[name] : undefined;
  if (write !== undefined) return examineWrite(words, at, name, write);
  // Any other may be an alias, or may run or install programs.
  const reason = `git ${name} is not one of the sub-commands a general rule covers`;
  const { problems } = findUnlisted(words, at + 1);
  return { ...unknown([{ at, reason }, ...problems]), paths: possiblePaths(words, 'unknown', at + 1) };
}

function examineRead(words: readonly string[], at: number, name: string, spec: GitRead): Finding {
  const listed = name === 'tag' && /^(?:-l|-n\d+)$/.test(words[at + 1] ?? '');
  const given = listed ? words.with(at + 1, '--list') : words;
  const { operands, options, problems } = readOptions(given, at + 1, spec);
  const names = new Set(options.map((option) => option.name));
  const values = operands.map((operand) => operand.value);
  const { operands: take = 'any' } = spec;
  const fits = take === 'any' || (take === 'none' ? values.length === 0 : take(names, values));
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

function examineWrite(words: readonly string[], at: number, name: string, spec: GitWrite): Finding {
  const read = readOptions(words, at + 1, spec);
  const problems = read.problems.map(({ at: index }): Problem => uncovered(words, index));
  for (const option of read.options) {
    const wanted = spec.values?.[option.name];
    if (wanted !== undefined && !wanted.test(option.value)) problems.push(uncovered(words, option.at));
  }
  read.operands.forEach(({ value, at: index }, before) => {
    const reason = operandReason(value, name, spec, before);
    if (reason !== undefined) problems.push({ at: index, reason });
  });
  const { patchUnless } = spec;
  if (patchUnless !== undefined && !read.options.some((option) => patchUnless.test(option.name)))
    problems.push({
      at: read.operands.at(-1)?.at ?? words.length,
      reason: `it is not visible what git ${name} changes`,
    });
  const files = read.options.filter((option) => /^(?:F|file)$/.test(option.name));
  const paths = spec.files === true ? possiblePaths(words, 'unknown', at + 1) : operandPaths(files, 'read');
  return { ...unknown(problems), paths };
}

function uncovered(words: readonly string[], at: number): Problem {
  return { at, reason: `git's ${words[at]} is not one of the ordinary options that a rule covers` };
}

function operandReason(word: string, name: string, spec: GitWrite, before: number): string | undefined {
  if (word.includes('::')) return 'it names a transport program';
  if (spec.not?.test(word)) return `git ${name} ${word} runs a program or changes the configuration`;
  if (spec.network !== true) return undefined;
  const isFirst = before === 0 && name !== 'remote';
  if ((isFirst && !/^\w[\w.-]*$/.test(word)) || /:\/\/|@.*:/.test(word))
    return 'it names another repository than the ones set up here';
  return undefined;
}

function unknown(problems: readonly Problem[]): Finding {
  return { reads: false, problems, paths: [], repo: true };
}

/** True if it may print content by its object name, which no path rule can cover: `git cat-file -p 3b18e5`. */
export function namesContent(words: readonly string[], finding: Finding): boolean {
  const isNamed = words.some((word) => /^[0-9a-f]{4,64}$/i.test(word) || word === 'cat-file' || word === 'fsck');
  return isNamed && (finding.printsHistory === true || words.includes('cat-file') || words.includes('fsck'));
}
