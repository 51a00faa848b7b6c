/** The first rule about commands that concerns anything a command line may come to run. */

import { matchWidely } from '../rules/command-pattern.js';
import type { Rule } from '../rules/rule.js';
import type { Reach } from './reach-commands.js';
import { scanText } from './scan-text.js';
import type { ShellReading } from './shell-reading.js';
import { programName } from './wrappers.js';

export type CommandRuleFound = {
  /** Surely concerned. */
  readonly sure?: Rule;
  /** Can't be shown not to be concerned, and why. */
  readonly maybe?: { readonly rule: Rule; readonly reason: string };
};

export function findCommandRule(rules: readonly Rule[], reading: ShellReading, reach: Reach): CommandRuleFound {
  let maybe: CommandRuleFound['maybe'];
  const doubt = (rule: Rule, reason: string) => {
    maybe ??= { rule, reason };
  };
  const names = indexNames(reach);
  for (const rule of rules) {
    if (rule.tool !== 'Bash') continue;
    if (rule.matches.kind === 'every') return { sure: rule };
    if (rule.matches.kind !== 'command') continue;
    const { pattern } = rule.matches;
    const first = pattern.words[0] ?? '';
    const starts =
      pattern.form === 'wild'
        ? reach.candidates
        : [...(names.get(programName(first)) ?? []), ...(names.get(undefined) ?? [])];
    for (const { words, start } of starts) {
      const match = matchWidely(pattern, words, start);
      if (match === 'yes') return { sure: rule };
      if (match === 'maybe') doubt(rule, 'a word in it is known only when it runs');
    }
    const appears =
      (reach.feedsShell || reach.hidden.length > 0 || reading.doubts.length > 0) && scanText(reading.text, pattern);
    // What could not be read, or is fed to a shell, counts as run when its words are there.
    if (appears && (reach.feedsShell || reach.hidden.some((reason) => reason.includes('computed'))))
      return { sure: rule };
    if (appears) doubt(rule, 'the words of the rule appear in it');
    if (!reading.parsed) doubt(rule, 'it could not be read in full');
    if (reach.hidden[0] !== undefined) doubt(rule, reach.hidden[0]);
    if (reach.feedsShell) doubt(rule, 'a shell in it reads its commands from elsewhere');
  }
  return maybe === undefined ? {} : { maybe };
}

/** Thousands of commands times many rules: looked up by name, not one by one. */
function indexNames(reach: Reach): ReadonlyMap<string | undefined, Reach['candidates']> {
  const names = new Map<string | undefined, Reach['candidates'][number][]>();
  for (const candidate of reach.candidates) {
    const word = candidate.words[candidate.start];
    const name = word === undefined ? undefined : programName(word);
    const kept = names.get(name);
    if (kept === undefined) names.set(name, [candidate]);
    else kept.push(candidate);
  }
  return names;
}
