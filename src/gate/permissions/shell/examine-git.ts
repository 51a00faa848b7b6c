/** Examines a git command: only reading, committing in a worktree of ours, or what a rule may cover by name. */

import type { Finding, PathUse } from './finding.js';
import { GIT_READS } from './git-reads.js';
import { type OptionSpec, type Problem, readOptions } from './read-options.js';

const HARMLESS_GLOBALS = new Set([
  '--no-pager',
  '-P',
  '--no-optional-locks',
  '--literal-pathspecs',
  '--no-replace-objects',
  '--icase-pathspecs',
]);

/** The forms of `git add` and `git commit` that need no question in a worktree of ours (GT-22). */
const WORKTREE_WRITES: Readonly<Record<string, OptionSpec>> = {
  add: { flags: 'AufvnN', longs: 'all update verbose dry-run intent-to-add no-all' },
  commit: {
    flags: 'aqvsn',
    valued: 'm',
    longs: 'all quiet verbose signoff no-verify allow-empty no-edit no-gpg-sign no-post-rewrite amend',
    longValued: 'message trailer author date',
  },
};

/** Sub-commands that a rule `Bash(git:*)` covers. Any other may be an alias, or runs or installs programs. */
const ORDINARY = new Set(
  `add am apply archive bisect blame branch bundle cat-file checkout cherry cherry-pick clean clone commit describe diff fetch
  format-patch gc grep init log ls-files ls-remote ls-tree merge merge-base mv notes pull push range-diff rebase reflog
  remote reset restore rev-list rev-parse revert rm shortlog show show-ref sparse-checkout stash status switch tag worktree`.split(
    /\s+/,
  ),
);

/** Sub-commands that read or change, depending on their words; only the reading forms are proven here. */
const MIXED = new Set(['branch', 'tag', 'remote', 'stash', 'reflog', 'worktree']);

/** Options that run a program, write a file or use another repository, in any sub-command. */
const UNNAMED =
  `output ext-diff textconv filters show-signature exec upload-pack receive-pack open-files-in-pager no-index config
  template separate-git-dir git-dir work-tree namespace exec-path tool extcmd gpg-sign verify-signatures strategy merge-backend
  edit interactive reference super-prefix config-env recurse-submodules output-directory remote shared-index`
    .split(/\s+/)
    .filter((name) => name !== '');
const NETWORK = new Set(['push', 'fetch', 'pull', 'clone', 'ls-remote', 'remote', 'archive']);

export function examineGit(words: readonly string[], ownWorktree: boolean): Finding {
  let at = 1;
  while (HARMLESS_GLOBALS.has(words[at] ?? '')) at += 1;
  const name = words[at];
  if (name === '--version' && words.length === at + 1) return { reads: true, problems: [], paths: [] };
  if (name === undefined || name.startsWith('-'))
    return unknown([{ at: words.length - 1, reason: `git's ${name ?? 'bare call'} is not known to be harmless` }]);
  if (Object.hasOwn(GIT_READS, name)) {
    const found = examineRead(words, at, name);
    // What only reads is proven by its list, also under a rule that names the sub-command.
    if (found.problems.length === 0 || !MIXED.has(name)) return found;
  }
  if (ownWorktree && Object.hasOwn(WORKTREE_WRITES, name)) {
    const found = readOptions(words, at + 1, WORKTREE_WRITES[name] ?? {});
    if (found.problems.length === 0)
      return { reads: false, edits: true, problems: [], paths: operandPaths(found.operands, 'read'), repo: true };
  }
  return unknown(unnamedProblems(words, at, name));
}

function examineRead(words: readonly string[], at: number, name: string): Finding {
  const spec = GIT_READS[name] ?? {};
  const listed = name === 'tag' && /^(?:-l|-n\d+)$/.test(words[at + 1] ?? '');
  const given = listed ? words.with(at + 1, '--list') : withAttachedUntracked(words, name);
  const { operands, options, problems } = readOptions(given, at + 1, spec);
  const names = new Set(options.map((option) => option.name));
  const values = operands.map((operand) => operand.value);
  const { operands: take = 'any' } = spec;
  const fits = take === 'any' || (take === 'none' ? values.length === 0 : take(names, values));
  const odd: Problem[] = fits
    ? []
    : [{ at: words.length - 1, reason: `git ${name} may change something with these words` }];
  for (const option of options) {
    // %G… in a format checks signatures with the program the repository names.
    if (/^(?:format|pretty)$/.test(option.name) && /%G/.test(option.value))
      odd.push({ at: option.at, reason: 'this format runs the signature program' });
  }
  return {
    reads: true,
    problems: [...problems, ...odd],
    paths: operandPaths(name === 'grep' && !names.has('e') ? operands.slice(1) : operands, 'read'),
    repo: true,
  };
}

/** `-uno`, `-uall`: the value of `-u` is always attached. */
function withAttachedUntracked(words: readonly string[], name: string): readonly string[] {
  if (name !== 'status') return words;
  return words.map((word) => (/^-u(?:no|all|normal)?$/.test(word) ? '--untracked-files' : word));
}

/** With two paths outside the repository, `git diff` compares plain files: whatever looks like a path counts as one. */
function operandPaths(operands: readonly { value: string; at: number }[], use: PathUse['use']): readonly PathUse[] {
  return operands.flatMap(({ value, at }): PathUse[] => {
    if (value.startsWith(':')) return [];
    const named = value.includes(':') ? value.slice(value.indexOf(':') + 1) : value;
    return named === '' ? [] : [{ at, path: named, use }];
  });
}

function unknown(problems: readonly Problem[]): Finding {
  return { reads: false, problems, paths: [], repo: true };
}

/** What a rule must name itself to cover. */
function unnamedProblems(words: readonly string[], at: number, name: string): readonly Problem[] {
  const problems: Problem[] = [];
  if (!ORDINARY.has(name))
    problems.push({ at, reason: `git ${name} is not one of the sub-commands a general rule covers` });
  let operands = 0;
  for (let index = at + 1; index < words.length; index += 1) {
    const word = words[index] ?? '';
    const reason = word.startsWith('-') ? optionReason(word, name) : operandReason(word, name, operands);
    if (!word.startsWith('-')) operands += 1;
    if (reason !== undefined) problems.push({ at: index, reason });
  }
  return problems;
}

function optionReason(word: string, name: string): string | undefined {
  const long = /^--([a-z-]+)(?:=|$)/.exec(word)?.[1];
  const unnamed =
    long !== undefined && UNNAMED.some((option) => option.startsWith(long) || long.startsWith(`${option}-`));
  if (unnamed || runsByLetter(word, name))
    return `git's ${word} may run a program, write a file or use another repository`;
  return undefined;
}

function operandReason(word: string, name: string, before: number): string | undefined {
  if (word.includes('::')) return 'it names a transport program';
  if (NETWORK.has(name) && before === 0 && name !== 'remote' && name !== 'archive' && !/^\w[\w.-]*$/.test(word))
    return 'it names another repository than the ones set up here';
  if (NETWORK.has(name) && /:\/\/|@.*:/.test(word)) return 'it names another repository than the ones set up here';
  if (name === 'bisect' && word === 'run') return 'git bisect run runs a program';
  if (name === 'remote' && /^(?:add|set-url)$/.test(word)) return 'it changes the remotes of this repository';
  return undefined;
}

function runsByLetter(word: string, name: string): boolean {
  if (!/^-[A-Za-z]/.test(word)) return false;
  switch (name) {
    case 'grep':
      return word.includes('O');
    case 'rebase':
      return /[xiX]/.test(word);
    case 'clone':
    case 'ls-remote':
      return /[cu]/.test(word);
    case 'archive':
    case 'format-patch':
      return word.includes('o');
    default:
      return false;
  }
}
