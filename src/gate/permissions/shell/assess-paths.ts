/** Finds objections to the files that one plain command reads and writes. */

import { dirname, join, resolve } from 'node:path';
import { describeLeaving, leavesWorktree } from '../paths/own-worktree.js';
import { HARD_LINK, type ResolvedPath } from '../paths/resolve-path.js';
import type { Resolver } from '../paths/resolver.js';
import type { Policy } from '../policy.js';
import type { PathPattern } from '../rules/path-pattern.js';
import type { Rule } from '../rules/rule.js';
import { examineProgram } from './examine-program.js';
import type { Finding, PathUse } from './finding.js';
import { listMatches } from './list-matches.js';
import type { ShellCommand, ShellRedirect, ShellWord } from './reading/shell-reading.js';
import { isRunner, programName } from './restrictions/wrappers.js';

export type PathObjection = {
  readonly at: number;
  readonly use: PathUse['use'];
  readonly reason: string;
  /** Applies regardless of rules: protected names. */
  readonly always?: boolean;
  /** Only states that the program writes, as it always does: a rule that names the program covers it. */
  readonly byNature?: boolean;
};

type Input = { readonly policy: Policy; readonly resolver: Resolver; readonly cwds: readonly string[] };

/** An index beyond every word, which no prefix of a command reaches. */
const NOT_A_WORD = Number.POSITIVE_INFINITY;

export function assessPaths(command: ShellCommand, finding: Finding, input: Input): readonly PathObjection[] {
  const objections: PathObjection[] = [];
  for (const use of finding.paths) {
    const word = command.words[use.at];
    const path =
      (word?.home === true || use.use === 'unknown') && /^~(?:\/|$)/.test(use.path)
        ? `${input.policy.home}${use.path.slice(1)}`
        : use.path;
    for (const cwd of input.cwds) objections.push(...assessUse({ ...use, path }, word, cwd, input));
  }
  objections.push(...objectToGlobs(command.words, finding));
  for (const redirect of command.redirects) objections.push(...assessRedirect(redirect, input));
  return objections;
}

/** A pattern is safe only where files are read: elsewhere it could become an option or a second name. */
function objectToGlobs(words: readonly ShellWord[], finding: Finding): readonly PathObjection[] {
  const judged = new Set(finding.paths.filter(({ use }) => use === 'read' || use === 'contents').map(({ at }) => at));
  // `--include=*.ts` stays that option, whatever it expands to.
  const isOption = (word: ShellWord) => finding.reads && finding.problems.length === 0 && /^--[a-z-]+=/.test(word.raw);
  return words.flatMap((word, at): PathObjection[] =>
    word.glob && !judged.has(at) && at > 0 && !isOption(word)
      ? [
          {
            at,
            use: 'read',
            reason: `what ${word.raw} expands to is known only when it runs`,
            // With a plain beginning it can't become an option.
            byNature: !finding.reads && /^[\w./]/.test(word.raw),
          },
        ]
      : [],
  );
}

function assessUse(use: PathUse, word: ShellWord | undefined, cwd: string, input: Input): readonly PathObjection[] {
  const object = (reason: string, more: Partial<PathObjection> = {}): PathObjection => ({
    at: use.at,
    use: use.use,
    reason,
    ...more,
  });
  if (word?.glob === true && (use.use === 'read' || use.use === 'contents')) return assessGlob(use, cwd, input, object);
  if (word?.glob === true && (use.use === 'write' || use.use === 'unknown') && /[*?[]/.test(use.path)) {
    const listed = listMatches(use.path, cwd, input.resolver);
    if (listed === undefined) return [object(`what ${use.path} expands to is known only when it runs`)];
    return listed.paths.flatMap((path) => assessUse({ ...use, path }, undefined, cwd, input));
  }
  const path = input.resolver.resolve(use.path, cwd);
  switch (use.use) {
    case 'write':
      return objectToWrite(path, true, input, object);
    case 'unknown':
      return objectToUnknown(path, input, object);
    case 'contents': {
      const denied = findDeniedInside(path, use, input);
      const inner =
        denied === undefined
          ? []
          : [object(`it may read files that the rule ${denied.text} covers; Grep leaves those out`)];
      return [...inner, ...objectToRead(path, input, object)];
    }
    case 'enter':
    case 'read':
      if (use.filesOnly === true && path.kind === 'folder')
        return [object(`${path.lexical} is a folder, and links inside it would be followed`)];
      return objectToRead(path, input, object);
    default:
      return use.use satisfies never;
  }
}

type MakeObjection = (reason: string, more?: Partial<PathObjection>) => PathObjection;

function assessGlob(use: PathUse, cwd: string, input: Input, object: MakeObjection): readonly PathObjection[] {
  const listed = listMatches(use.path, cwd, input.resolver);
  if (listed === undefined || listed.odd)
    return [object(`${use.path} expands to something other than plain files here`)];
  // A folder among them would be searched.
  if (use.use === 'contents') return listed.paths.flatMap((path) => assessUse({ ...use, path }, undefined, cwd, input));
  const folder = input.resolver.resolve(use.path.slice(0, use.path.lastIndexOf('/') + 1) || '.', cwd);
  // Where nothing hides a denied file, each of them matters.
  const each = input.policy.box === undefined && input.policy.rules.some(isReadDenial) ? listed.paths : [];
  return [folder, ...each.map((path) => input.resolver.resolve(path, cwd))].flatMap((path) =>
    objectToRead(path, input, object),
  );
}

export function objectToRead(path: ResolvedPath, input: Input, object: MakeObjection): readonly PathObjection[] {
  if (path.problem !== undefined) return [object(`${path.lexical}: ${path.problem}`)];
  // Where nothing hides a denied file, another name of it can't be told from it.
  if (path.writeProblem === HARD_LINK && input.policy.box === undefined && input.policy.rules.some(isReadDenial))
    return [object(`${path.lexical} has other names, and one of them may be denied`)];
  if (input.resolver.isReadable(path)) return [];
  for (const rule of input.policy.rules) {
    if (rule.behavior !== 'allow' || rule.tool !== 'Read' || rule.matches.kind !== 'path') continue;
    if (input.resolver.matches(rule.matches.pattern, path, false, false)) return [];
  }
  return [object(`${path.real} is outside the folders this session works in`)];
}

/**
 * For a word that may be a path that may be written. Inside the roots, a rule that names the program covers it; outside,
 * only a word that exists or could be created can be a path.
 */
function objectToUnknown(path: ResolvedPath, input: Input, object: MakeObjection): readonly PathObjection[] {
  if (path.protectedName !== undefined) return objectToWrite(path, false, input, object);
  if (path.inside !== undefined || /^\/dev\/(?:null|stdout|stderr)$/.test(path.real)) return [];
  const folder = dirname(path.real);
  const isPath = path.kind !== 'missing' || (folder !== '/' && input.resolver.resolve(folder, '/').kind === 'folder');
  return isPath ? objectToWrite(path, false, input, object) : [];
}

/** `byNature`: the program exists to write, so a rule that names it covers writing inside the roots. */
export function objectToWrite(
  path: ResolvedPath,
  byNature: boolean,
  input: Input,
  object: MakeObjection,
): readonly PathObjection[] {
  if (path.protectedName !== undefined)
    return [
      object(`${path.protectedName} controls what runs or is allowed later, so every change to it needs a permission`, {
        always: true,
      }),
    ];
  const { worktree } = input.policy;
  if (worktree !== undefined && leavesWorktree(worktree, path.real))
    return [object(describeLeaving(worktree, path.real), { always: true })];
  const problem = path.problem ?? path.writeProblem;
  if (problem !== undefined) return [object(`${path.lexical}: ${problem}`)];
  for (const rule of input.policy.rules) {
    if (rule.behavior !== 'allow' || rule.tool !== 'Edit') continue;
    if (rule.matches.kind === 'every' && path.inside !== undefined) return [];
    if (rule.matches.kind === 'path' && input.resolver.matches(rule.matches.pattern, path, false, false)) return [];
  }
  if (path.inside === undefined) return [object(`${path.real} is outside the folders this session works in`)];
  if (input.policy.mode === 'acceptEdits') return [];
  return [object(`it changes ${path.lexical}`, byNature ? { byNature: true } : {})];
}

function assessRedirect(redirect: ShellRedirect, input: Input): readonly PathObjection[] {
  if (redirect.kind === 'duplicate' || redirect.kind === 'body') return [];
  const { target } = redirect;
  const value = target.value ?? '';
  if (/^\/dev\/(?:null|stdout|stderr)$/.test(value)) return [];
  const use = redirect.kind === 'read' ? ('read' as const) : ('write' as const);
  const object: MakeObjection = (reason, more = {}) => ({ at: NOT_A_WORD, use, reason, ...more });
  const path = target.home ? `${input.policy.home}${value.slice(1)}` : value;
  const found: PathObjection[] = [];
  for (const cwd of input.cwds) {
    const resolved = input.resolver.resolve(path, cwd);
    found.push(
      ...(use === 'read' ? objectToRead(resolved, input, object) : objectToWrite(resolved, false, input, object)),
    );
  }
  return found;
}

/** A Read rule that denies something below the folder being searched. */
function findDeniedInside(path: ResolvedPath, use: PathUse, input: Input): Rule | undefined {
  for (const rule of input.policy.rules) {
    if (!isReadDenial(rule) || rule.matches.kind !== 'path') continue;
    if (use.skipsHidden === true && /(?:^|\/)\./.test(rule.matches.pattern.pattern)) continue;
    if (input.resolver.touches(rule.matches.pattern, path.real)) return rule;
  }
  return undefined;
}

/** Programs that copy, pack or compare everything in a folder. */
const TAKES_FOLDERS = /^(?:[ef]?grep|diff|ag|ack|tar|zip|7z|cp|scp|rsync|cpio)$/;

/** A Read rule that denies something below a folder that one of the commands searches. */
export function findDeniedInFolders(commands: readonly ShellCommand[], input: Input): Rule | undefined {
  if (!input.policy.rules.some(isReadDenial)) return undefined;
  for (const { words } of commands) {
    const literal = words.map((word) => word.value ?? '');
    const finding = literal.length === 0 ? undefined : examineProgram(literal, false);
    const takesFolders = TAKES_FOLDERS.test(literal[0] ?? '');
    for (const use of finding?.paths ?? []) {
      const path = input.resolver.resolve(use.path, input.cwds[0] ?? '/');
      if (use.use !== 'contents' && !(takesFolders && path.kind === 'folder')) continue;
      const rule = findDeniedInside(path, use, input);
      if (rule?.matches.kind !== 'path') continue;
      if (use.use === 'contents' || mayContain(path.real, rule.matches.pattern, input.resolver)) return rule;
    }
  }
  return undefined;
}

const MOST_CHECKED = 500;

/** True if a matching file is in this folder at any depth, or if there are too many to check. */
function mayContain(start: string, pattern: PathPattern, resolver: Resolver): boolean {
  const pending = [start];
  let checked = 0;
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    const entries = resolver.list(folder);
    checked += entries?.length ?? 0;
    if (entries === undefined || checked > MOST_CHECKED) return true;
    for (const { name, kind } of entries) {
      const path = join(folder, name);
      if (resolver.matches(pattern, resolver.resolve(path, folder), true, kind === 'folder')) return true;
      if (kind === 'folder') pending.push(path);
    }
  }
  return false;
}

function isReadDenial({ behavior, tool, matches }: Rule): boolean {
  return behavior !== 'allow' && tool === 'Read' && matches.kind === 'path';
}

/** True if each `cd` of the line changes the folder of all that follows, or nothing follows it: `cd x && … && cd ..`. */
export function isStraight(text: string): boolean {
  const bare = text.replace(/'[^']*'|"[^"$`]*"/g, '_');
  if (/[!(){}`\\\n;]|\$\(|(?<![>&])&(?![&>\d])|\|\||\b(?:if|then|for|while|until|case|do|select|function)\b/.test(bare))
    return false;
  return bare.split('&&').every((part) => !part.includes('|') || !/\b(?:cd|pushd|popd)\b/.test(part));
}

/** Leads upward, to the repository that git itself would find. */
const TOP_OF_REPOSITORY = /^"?\$\(git rev-parse --show-toplevel\)"?$/;

/**
 * Every folder the shell may be in: the initial one, and each one that a `cd` in the line may lead to. `inOrder`: each starts
 * where the one before ended; otherwise from any of them.
 */
export function foldersOf(
  commands: readonly ShellCommand[],
  cwd: string,
  home: string,
  inOrder = false,
): readonly string[] | undefined {
  const folders = [cwd];
  let current: readonly string[] = [cwd];
  for (const { words } of commands) {
    // What it runs may change the folder of all that follows.
    if (
      /^(?:eval|source|\.)$/.test(words[0]?.value ?? '') &&
      words.some(({ value }) => value === undefined || /\b(?:cd|pushd|popd)\b/.test(value))
    )
      return undefined;
    const at = words.findIndex((word) => word.value === 'cd' || word.value === 'pushd');
    // After `command`, `builtin` and the like, `cd` changes the folder just the same.
    if (at < 0 || (at > 0 && !isRunner(programName(words[0]?.value ?? '')))) continue;
    const target = words.find((word, index) => index > at && !/^-/.test(word.value ?? ''));
    if (target === undefined || TOP_OF_REPOSITORY.test(target.raw)) continue;
    if (target.value === undefined || !target.plain) return undefined;
    const path = target.home ? `${home}${target.value.slice(1)}` : target.value;
    current = (inOrder ? current : [...folders]).map((from) => resolve(from, path));
    for (const next of current) if (!folders.includes(next)) folders.push(next);
    if (folders.length > 16) return undefined;
  }
  return folders;
}
