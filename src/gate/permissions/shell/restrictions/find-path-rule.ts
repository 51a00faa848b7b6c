/** Finds the first path rule that matches a word of a command line: a denied file stays denied for `cat` and `>`. */

import type { Resolver } from '../../paths/resolver.js';
import type { PathPattern } from '../../rules/path-pattern.js';
import type { Rule } from '../../rules/rule.js';
import { examineGit, namesContent } from '../examine-git.js';
import { listMatches } from '../list-matches.js';
import type { ShellCommand, ShellReading, ShellWord } from '../reading/shell-reading.js';
import { scanText } from './scan-text.js';
import { changesOperands, isRunner, programName, takesText } from './wrappers.js';

export type PathRuleFound = {
  readonly sure?: Rule;
  /** Describes the command if `sure` does not come from a file it plainly names. */
  readonly what?: string;
  readonly maybe?: { readonly rule: Rule; readonly reason: string };
  /** Git may print it from its store, where nothing hides it. */
  readonly inGit?: { readonly rule: Rule; readonly reason: string; readonly inGit: true };
  /** The rule's words appear in it, or a path in it is computed. */
  readonly unproven?: { readonly rule: Rule; readonly reason: string };
};

export type PathRulesInput = {
  readonly reading: ShellReading;
  readonly commands: readonly ShellCommand[];
  readonly cwds: readonly string[];
  readonly home: string;
  readonly resolver: Resolver;
  /** Git's history may contain what the rules cover. */
  readonly inHistory: boolean;
};

type About = { readonly rule: Rule; readonly pattern: PathPattern; readonly reads: boolean };

export function findPathRule(rules: readonly Rule[], input: PathRulesInput): PathRuleFound {
  const about = rules.flatMap((rule): About[] => {
    if (rule.matches.kind !== 'path' || (rule.tool !== 'Read' && rule.tool !== 'Edit')) return [];
    return [{ rule, pattern: rule.matches.pattern, reads: rule.tool === 'Read' }];
  });
  const [first] = about;
  if (first === undefined) return {};
  let maybe = input.reading.parsed ? undefined : { rule: first.rule, reason: 'it could not be read in full' };
  const scan = scanText(input.reading.text);
  const named = about.find(({ pattern }) => scan.hasPath(pattern));
  if (maybe !== undefined && named !== undefined)
    return { sure: named.rule, what: 'a command that could not be read in full' };
  let unproven = named && { rule: named.rule, reason: 'the words of the rule appear in it' };
  const hidden = about.find((one) => one.reads && isOfRepository(one, input));
  // What the line itself stores counts, too (GT-33).
  const inHistory = input.inHistory || input.commands.some((command) => storesFiles(command, input));
  let inGit: PathRuleFound['inGit'];
  const judged = new Set<string>();
  for (const command of input.commands) {
    if (
      command.words.some(
        ({ value }) => value !== undefined && (takesPathsFromInput(programName(value)) || LISTS_FILES.test(value)),
      )
    )
      unproven ??= { rule: first.rule, reason: 'the paths come from its input' };
    if (hidden !== undefined && printsHistory(command, inHistory))
      inGit ??= { rule: hidden.rule, reason: 'git may print it from what it has stored', inGit: true };
    for (const use of wordsOf(command)) {
      const key = `${use.kind} ${use.word.raw}`;
      if (judged.has(key)) continue;
      judged.add(key);
      if (use.word.value === undefined || use.word.value.includes('{}'))
        unproven ??= { rule: first.rule, reason: `what ${use.word.raw} stands for is known only when it runs` };
      // A long line must not get a denied file past the rule.
      if (input.resolver.allowance.isSpent) return { sure: first.rule, what: TOO_MUCH };
      for (const one of about) {
        const found = judgeWord(one, use, input);
        if (found === 'yes') return { sure: one.rule };
        if (found === 'maybe') maybe ??= { rule: one.rule, reason: `${use.word.raw} may be a file the rule covers` };
      }
    }
  }
  return { ...(maybe ? { maybe } : {}), ...(inGit ? { inGit } : {}), ...(unproven ? { unproven } : {}) };
}

/** `tar -T list`: the names of its files are in a file. */
const LISTS_FILES = /^(?:--files0?-from|-[A-Za-z]*T$)/;

function takesPathsFromInput(name: string): boolean {
  return /^(?:xargs|parallel|cpio)$/.test(name);
}

function isOfRepository({ pattern }: About, { cwds, resolver }: PathRulesInput): boolean {
  return cwds.some((cwd) => resolver.touches(pattern, resolver.resolve('.', cwd).real));
}

/** Sub-commands that change something but print no contents, and don't put them where another program finds them. */
const QUIET_GIT =
  /^(?:add|am|branch|checkout|cherry-pick|clean|commit|config|fetch|gc|init|merge|mv|pull|push|rebase|remote|reset|restore|revert|rm|stash(?! show)|switch|tag|worktree (?!add))(?: |$)/;

/** It may bring files into git's store that are not there yet: anything but `git add` of plain files that it names. */
function storesFiles({ words }: ShellCommand, { cwds, resolver }: PathRulesInput): boolean {
  const values = words.map(({ value }) => value ?? '');
  const at = values.findIndex((value) => programName(value) === 'git');
  if (at < 0 || (at > 0 && !isRunner(programName(values[0] ?? '')))) return false;
  const rest = values.slice(at + 1);
  const [command, ...args] = rest.filter((word, index) => !word.startsWith('-') && rest[index - 1] !== '-C');
  if (command === 'commit')
    return rest.some((word) => /^-[a-z]*[aio]|^--(?:all|include|only)/.test(word)) || args.length > 0;
  if (!/^(?:add|stage|stash|update-index|hash-object|apply|am|rm|mv)$/.test(command ?? '')) return false;
  if (command === 'rm' || command === 'mv') return false;
  const isFile = (path: string) => path !== '' && cwds.every((cwd) => resolver.resolve(path, cwd).kind === 'file');
  const plain = command === 'add' && args.length > 0 && args.every(isFile);
  return !(plain && rest.every((word) => !/^-[A-Za-z]*[Au]|^--(?:all|update)/.test(word)));
}

/** Also after a program that runs it: `timeout 5 git log -p`. */
function printsHistory({ words }: ShellCommand, inHistory: boolean): boolean {
  const values = words.map(({ value }) => value ?? '');
  const at = values.findIndex((value) => programName(value) === 'git');
  if (at < 0 || (at > 0 && !isRunner(programName(values[0] ?? '')))) return false;
  const [, ...rest] = values.slice(at);
  const finding = examineGit(['git', ...rest], false);
  if (!inHistory) return namesContent(rest, finding);
  if (finding.reads && finding.problems.length === 0) return finding.printsHistory === true;
  if (rest.some((word) => /^-[a-zA-Z]*[pvie]|^--(?:patch|verbose|interactive|edit)/.test(word))) return true;
  return !QUIET_GIT.test(rest.filter((word) => !word.startsWith('-')).join(' '));
}

const TOO_MUCH = 'a command that names too many files to check (split it into several)';

function judgeWord({ pattern, reads }: About, use: Use, input: PathRulesInput): 'yes' | 'maybe' | 'no' {
  if (!reads && use.kind === 'reads') return 'no';
  const found = concerns(pattern, use.word, input);
  return found === 'yes' && !reads && use.kind !== 'writes' ? 'maybe' : found;
}

type Use = { readonly word: ShellWord; readonly kind: 'reads' | 'writes' | 'unknown' };

function wordsOf(command: ShellCommand): readonly Use[] {
  const name = command.words[0]?.value ?? '';
  const kind = changesOperands(name) ? 'writes' : 'unknown';
  const words = takesText(name) ? [] : command.words.slice(1).map((word): Use => ({ word, kind }));
  const redirects = command.redirects.flatMap((redirect): Use[] => {
    if (redirect.kind === 'duplicate' || redirect.kind === 'body') return [];
    return [{ word: redirect.target, kind: redirect.kind === 'read' ? 'reads' : 'writes' }];
  });
  return [...words, ...redirects];
}

function concerns(pattern: PathPattern, word: ShellWord, input: PathRulesInput): 'yes' | 'maybe' | 'no' {
  let maybe = false;
  for (const path of pathsIn(word, input)) {
    for (const cwd of input.cwds) {
      if (word.glob) {
        const listed = listMatches(path, cwd, input.resolver);
        const folder = input.resolver.resolve(plainFolder(path), cwd);
        if (listed === undefined) maybe ||= input.resolver.touches(pattern, folder.real);
        for (const entry of listed?.paths ?? []) {
          if (input.resolver.matches(pattern, input.resolver.resolve(entry, cwd), true, true)) maybe = true;
        }
        continue;
      }
      const resolved = input.resolver.resolve(path, cwd);
      if (input.resolver.matches(pattern, resolved, true, true)) return 'yes';
    }
  }
  return maybe ? 'maybe' : 'no';
}

/** The folder where a pattern starts. */
function plainFolder(path: string): string {
  const before = path.split(/[*?[]/)[0] ?? '';
  return before.slice(0, before.lastIndexOf('/') + 1) || '.';
}

/** Everything in a word that may be a path: all of it, what follows `=`, `:`, `@`, `,` or a short option's letter. */
function pathsIn(word: ShellWord, input: PathRulesInput): readonly string[] {
  const value = word.value ?? guessed(word.raw, input);
  if (value === undefined) return [];
  const whole = word.home ? `${input.home}${value.slice(1)}` : value;
  const parts = [...whole.matchAll(/[=:@,]/g)].slice(0, MOST_PARTS).map(({ index }) => whole.slice(index + 1));
  const attached = /^-[A-Za-z](.+)$/.exec(whole)?.[1];
  const given = whole.startsWith('-') ? [attached, ...parts] : [whole, ...parts];
  return given
    .filter((path): path is string => path !== undefined && path !== '')
    .map((path) => (path.startsWith('~/') ? `${input.home}${path.slice(1)}` : path));
}

/** A word with more parts is a list or a text, and the first parts suffice. */
const MOST_PARTS = 8;

/** Resolves variables with well-known values. */
function guessed(raw: string, input: PathRulesInput): string | undefined {
  const text = raw
    .replace(/["']/g, '')
    .replace(/^\$(?:HOME\b|\{HOME\})/, input.home)
    .replace(/^\$(?:PWD\b|\{PWD\})/, input.cwds[0] ?? '');
  return /[$`]/.test(text) ? undefined : text;
}
