/**
 * The `Bash(…)` part of a rule, and how it matches commands. Strict for allow: exact, or a prefix that ends at a word.
 * Wide for deny and ask: options in any order, other options in between, `*` anywhere.
 */

import type { RuleBehavior } from '../../../protocol/permission.js';
import { readPlainWord } from '../shell/reading/plain-word.js';
import { programName } from '../shell/restrictions/wrappers.js';
import { suggestCommand } from './spelling.js';

export type CommandPattern = {
  /** Set if it is read as written, but was probably meant otherwise. */
  readonly note?: string;
  readonly form: 'exact' | 'prefix' | 'wild';
  /** As written, with the rule's escapes resolved, and without the `:*` or ` *` of a prefix. */
  readonly text: string;
  readonly words: readonly string[];
  /** True for one simple command of plain words. Otherwise, an allow rule covers only exactly this text. */
  readonly plain: boolean;
};

export function readCommandPattern(
  specifier: string,
  behavior: RuleBehavior,
): CommandPattern | { readonly warning: string } {
  const wide = behavior !== 'allow';
  // Nobody means a program whose name ends with a colon.
  const given = wide ? withoutQuotes(specifier).replace(/:$/, ':*') : specifier;
  const prefix = /^([\s\S]*?)(?::\*|\s+\*)$/.exec(given);
  const body = prefix?.[1] ?? given;
  const stars = /(?:^|[^\\])(?:\\\\)*\*/.test(body);
  if (stars && !wide)
    return withSpelling('an allow rule takes * only as :* or as a word at its end (\\* is a literal *)', given);
  const text = resolveEscapes(body).trim();
  if (text === '') return { warning: 'it names no command' };
  // Words are compared unquoted, because a rule and a command may quote differently.
  const { words: all, plain } = splitWords(text);
  // Assignments before a command are no part of it.
  const start = wide ? all.findIndex((word) => !/^[A-Za-z_]\w*\+?=/.test(word)) : 0;
  if (start < 0) return { warning: 'it names no command, only variables' };
  const words = all.slice(start);
  const form = stars ? 'wild' : prefix === null ? 'exact' : 'prefix';
  if (form === 'prefix' && !plain && !wide)
    return withSpelling('the text before :* must be plain words: no expansion, no pattern, one command', given);
  // A `:*` inside the text can only be meant like one at its end.
  const wild = () => `${body.replaceAll(':*', '*')}${prefix === null ? '' : '*'}`;
  const note = wide ? undefined : findMisspelling(words, form);
  return { form, text: stars ? wild() : text, words, plain, ...(note === undefined ? {} : { note }) };
}

function withSpelling(warning: string, specifier: string): { readonly warning: string } {
  const spelling = suggestCommand(specifier);
  return { warning: spelling === undefined ? warning : `${warning}: ${spelling}` };
}

/** No program has such a name, as far as we know. */
function findMisspelling(words: readonly string[], form: CommandPattern['form']): string | undefined {
  const [first = ''] = words;
  const end = form === 'prefix' ? ':*' : '';
  if (words.length === 1 && /\s/.test(first) && !first.includes('/'))
    return `names a program ${JSON.stringify(first)}; without quotes, it is Bash(${first}${end})`;
  const last = words.at(-1) ?? '';
  if (form === 'exact' && last.length > 1 && last.endsWith(':'))
    return `names the word ${JSON.stringify(last)}; with any further words, it is Bash(${words.join(' ')}*)`;
  return undefined;
}

/** Quotes around a whole command don't belong to it, unless they hold the path of a program together. */
function withoutQuotes(specifier: string): string {
  const inner = /^(["'])([^"'/]*)\1$/.exec(specifier)?.[2];
  return inner?.trim() || specifier;
}

/** The number of these plain words that an allow rule names; undefined if it doesn't match. */
export function namedWords(pattern: CommandPattern, words: readonly string[]): number | undefined {
  if (pattern.form === 'wild' || !pattern.plain) return undefined;
  if (pattern.words.length > words.length) return undefined;
  if (pattern.form === 'exact' && pattern.words.length !== words.length) return undefined;
  return pattern.words.every((word, index) => word === words[index]) ? pattern.words.length : undefined;
}

export type WideMatch = 'yes' | 'maybe' | 'no';

/** Matches a deny or ask rule against the command from `start` on. `maybe`: it depends on a computed word. */
export function matchWidely(pattern: CommandPattern, words: readonly (string | undefined)[], start: number): WideMatch {
  if (pattern.form === 'wild') return matchWild(pattern.text, words, start);
  const first = words[start];
  const named = pattern.words[0];
  if (named === undefined) return 'no';
  if (first === undefined) return 'maybe';
  if (!sameProgram(named, first)) return 'no';
  if (pattern.form === 'exact') return matchExactly(pattern.words, words, start);
  return matchInOrder(pattern.words, words, start);
}

function sameProgram(named: string, word: string): boolean {
  return named.includes('/')
    ? named === word || programName(named) === programName(word)
    : programName(word) === programName(named);
}

function matchExactly(rule: readonly string[], words: readonly (string | undefined)[], start: number): WideMatch {
  let doubt = false;
  if (words.length - start !== rule.length) return words.indexOf(undefined, start) >= 0 ? 'maybe' : 'no';
  for (let index = 1; index < rule.length; index += 1) {
    const word = words[start + index];
    if (word === undefined) doubt = true;
    else if (word !== rule[index]) return 'no';
  }
  return doubt ? 'maybe' : 'yes';
}

/** The rule's words must come in order; other options, each with a value, may be in between. Options may be anywhere. */
function matchInOrder(rule: readonly string[], words: readonly (string | undefined)[], start: number): WideMatch {
  let at = start + 1;
  let doubt = false;
  for (const wanted of rule.slice(1)) {
    if (wanted.startsWith('-')) {
      const found = hasOption(wanted, words, start + 1);
      if (found === 'no') return 'no';
      if (found === 'maybe') doubt = true;
      continue;
    }
    const found = findOperand(wanted, words, at);
    if (found === undefined) return 'no';
    if (found.doubt) doubt = true;
    at = found.next;
  }
  return doubt ? 'maybe' : 'yes';
}

function findOperand(wanted: string, words: readonly (string | undefined)[], from: number) {
  for (let index = from; index < words.length; index += 1) {
    const word = words[index];
    if (word === undefined) return { next: index + 1, doubt: true };
    // `Bash(curl http:*)` is about `curl http://x`, too.
    if (word === wanted || word.startsWith(`${wanted}:`)) return { next: index + 1, doubt: false };
    const previous = index === from ? undefined : words[index - 1];
    const mayBeValue = previous?.startsWith('-') === true && !previous.includes('=');
    if (!word.startsWith('-') && !mayBeValue) return undefined;
  }
  return undefined;
}

function hasOption(wanted: string, words: readonly (string | undefined)[], from: number): WideMatch {
  const letters = /^-([A-Za-z]+)$/.exec(wanted)?.[1];
  const missing = new Set(letters ?? '');
  let doubt = false;
  for (let index = from; index < words.length; index += 1) {
    const word = words[index];
    if (word === undefined) {
      doubt = true;
      continue;
    }
    if (word === wanted || word.startsWith(`${wanted}=`)) return 'yes';
    const cluster = /^-([A-Za-z]+)$/.exec(word)?.[1];
    if (letters === undefined || cluster === undefined) continue;
    for (const letter of cluster) missing.delete(letter);
    if (missing.size === 0) return 'yes';
  }
  return doubt ? 'maybe' : 'no';
}

function matchWild(pattern: string, words: readonly (string | undefined)[], start: number): WideMatch {
  const known = words.slice(start);
  const first = known[0];
  const named = first === undefined ? known : [programName(first), ...known.slice(1)];
  const lines = [known, named].map((list) => plainLine(list.map((word) => word ?? '\u0000').join(' ')));
  // The words of a command have lost their quotes.
  const patterns = new Set([plainLine(pattern), plainLine(pattern.replace(/["']/g, ''))]);
  if (lines.some((line) => [...patterns].some((one) => matchStars(one, line)))) return 'yes';
  return known.includes(undefined) ? 'maybe' : 'no';
}

function plainLine(text: string): string {
  return text.replace(/\s+/g, ' ').toLowerCase();
}

/** `*` matches any run of characters; `\` escapes the next one. Linear: each part is looked for once, from the left. */
export function matchStars(pattern: string, text: string): boolean {
  const parts = starParts(pattern);
  let at = 0;
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index] ?? '';
    const isLast = index === parts.length - 1;
    if (index === 0) {
      if (!text.startsWith(part)) return false;
      at = part.length;
      if (isLast) return text.length === at;
      continue;
    }
    if (isLast) return text.length - part.length >= at && text.endsWith(part);
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return true;
}

function starParts(pattern: string): readonly string[] {
  const parts: string[] = [''];
  for (let index = 0; index < pattern.length; index += 1) {
    const char = pattern.charAt(index);
    const last = parts.length - 1;
    if (char === '*') parts.push('');
    else if (char === '\\' && index + 1 < pattern.length) {
      index += 1;
      parts[last] += pattern.charAt(index);
    } else parts[last] += char;
  }
  return parts;
}

/** Only characters with a meaning in rules need a backslash; any other backslash belongs to the command. */
function resolveEscapes(text: string): string {
  return text.replace(/\\([()*\\])/g, '$1');
}

function splitWords(text: string): { readonly words: readonly string[]; readonly plain: boolean } {
  const raw = text.match(/(?:[^\s"'\\]|\\[\s\S]|'[^']*'|"(?:[^"\\]|\\[\s\S])*"|["'\\])+/g) ?? [];
  const read = raw.map((word) => ({ word, plain: readPlainWord(word) }));
  return {
    words: read.map(({ word, plain }) => (plain.plain ? plain.value : word)),
    plain: !/\n/.test(text) && read.every(({ word, plain }) => plain.plain && !plain.glob && !word.startsWith('#')),
  };
}
