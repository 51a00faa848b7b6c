/** Finds the first command rule that matches anything a command line may run. */

import { type CommandPattern, matchWidely, type WideMatch } from '../../rules/command-pattern.js';
import type { Rule } from '../../rules/rule.js';
import { examineProgram } from '../examine-program.js';
import type { ShellReading, ShellWord } from '../reading/shell-reading.js';
import { type Candidate, GIVES_CODE, type Reach } from './reach-commands.js';
import { scanText } from './scan-text.js';
import { programName } from './wrappers.js';

export type CommandRuleFound = {
  /** Certainly matches. */
  readonly sure?: Rule;
  /** May match, with the reason: a program in the line can't be seen. */
  readonly maybe?: UnseenCommand;
  /** The rule's words appear in it, in a place where nothing is known to run. */
  readonly unproven?: UnseenCommand;
};

/** `ofCode`: only because a program is given code, which a rule about names can't look into. */
type UnseenCommand = { readonly rule: Rule; readonly reason: string; readonly ofCode?: true };

export function findCommandRule(rules: readonly Rule[], reading: ShellReading, reach: Reach): CommandRuleFound {
  let maybe: CommandRuleFound['maybe'];
  let unproven: CommandRuleFound['unproven'];
  const names = indexNames(reach);
  const scans = [scanText(reading.text), ...reach.doubtful.map(scanText)];
  const holdsCode = reach.commands.some(({ words }) => isUnprovenText(words));
  const computed = reach.hidden.some((reason) => reason.includes('computed'));
  for (const rule of rules) {
    if (rule.tool !== 'Bash') continue;
    if (rule.matches.kind === 'every') return { sure: rule };
    if (rule.matches.kind !== 'command') continue;
    const { pattern } = rule.matches;
    const match = matchCandidates(pattern, reach, names);
    if (match === 'yes') return { sure: rule };
    const appears = scans.some((scan) => scan.hasCommand(pattern));
    // Text that could not be parsed, or is fed to a shell, is treated as run if the rule's words appear in it.
    if (appears && (reach.feedsShell || computed)) return { sure: rule };
    if (appears) unproven ??= { rule, reason: 'the words of the rule appear in it' };
    if (holdsCode)
      unproven ??= { rule, reason: 'a text in it may be run by a shell, and is computed then', ofCode: true };
    const reason = unseenReason(match, reading, reach);
    if (reason !== undefined) maybe ??= { rule, reason, ...(reason.startsWith(GIVES_CODE) ? { ofCode: true } : {}) };
  }
  return { ...(maybe ? { maybe } : {}), ...(unproven ? { unproven } : {}) };
}

/** A quoted `$` or backtick means something only to a shell that some program starts. */
function isUnprovenText(words: readonly ShellWord[]): boolean {
  if (!words.some(({ value }) => value !== undefined && /[$`]/.test(value))) return false;
  const finding = examineProgram(
    words.map(({ value }) => value ?? ''),
    false,
  );
  return !finding.reads || finding.problems.length > 0;
}

function unseenReason(match: WideMatch, reading: ShellReading, reach: Reach): string | undefined {
  if (match === 'maybe') return 'a word in it is known only when it runs';
  if (!reading.parsed) return 'it could not be read in full';
  const hidden = reach.hidden.find((one) => !one.startsWith(GIVES_CODE)) ?? reach.hidden[0];
  if (hidden !== undefined) return hidden;
  return reach.feedsShell ? 'a shell in it reads its commands from elsewhere' : undefined;
}

/** The number of starts within one list of words that are checked one by one. */
const MOST_STARTS = 64;

function matchCandidates(pattern: CommandPattern, reach: Reach, names: NameIndex): WideMatch {
  if (pattern.form === 'wild') return matchWildLists(pattern, reach);
  const named = names.get(programName(pattern.words[0] ?? '')) ?? [];
  const computed = names.get(undefined) ?? [];
  const starts = new Map<Candidate['words'], number>();
  let match: WideMatch = computed.length > 0 ? 'maybe' : 'no';
  for (const { words, start } of named) {
    const count = (starts.get(words) ?? 0) + 1;
    starts.set(words, count);
    // The same name many times in one list: from here on, it is enough that all the rule's words are present.
    if (count > MOST_STARTS + 1) continue;
    const one = count > MOST_STARTS ? containsAll(pattern.words, words) : matchWidely(pattern, words, start);
    if (one === 'yes') return 'yes';
    if (one === 'maybe') match = 'maybe';
  }
  return match;
}

function containsAll(wanted: readonly string[], words: Candidate['words']): WideMatch {
  const present = new Set(words);
  return wanted.slice(1).every((word) => word.startsWith('-') || present.has(word)) ? 'yes' : 'no';
}

/** Matches each list of words once: a later start is a `*` in front. */
function matchWildLists(pattern: CommandPattern, reach: Reach): WideMatch {
  const anywhere = new Map<Candidate['words'], boolean>();
  for (const { words, start } of reach.candidates) anywhere.set(words, anywhere.get(words) === true || start > 0);
  let match: WideMatch = 'no';
  for (const [words, isAnywhere] of anywhere) {
    const wide = isAnywhere ? { ...pattern, text: `*${pattern.text}` } : pattern;
    const one = matchWidely(wide, words, 0);
    if (one === 'yes') return 'yes';
    if (one === 'maybe') match = 'maybe';
  }
  return match;
}

type NameIndex = ReadonlyMap<string | undefined, readonly Candidate[]>;

/** Thousands of commands times many rules: look up by name instead of comparing each pair. */
function indexNames(reach: Reach): NameIndex {
  const names = new Map<string | undefined, Candidate[]>();
  for (const candidate of reach.candidates) {
    const word = candidate.words[candidate.start];
    const name = word === undefined ? undefined : programName(word);
    const known = names.get(name);
    if (known === undefined) names.set(name, [candidate]);
    else known.push(candidate);
  }
  return names;
}
