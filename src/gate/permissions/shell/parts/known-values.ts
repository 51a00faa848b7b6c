/** The values that words of a command line can have, if the line itself tells: patterns, and variables that it sets. */

import type { Resolver } from '../../paths/resolver.js';
import { listMatches } from '../list-matches.js';
import type { ShellCommand, ShellReading, ShellWord } from '../reading/shell-reading.js';

export type WordPlace = {
  readonly reading: Pick<ShellReading, 'values' | 'commands'>;
  readonly cwds: readonly string[];
  readonly policy: { readonly home: string };
  readonly resolver: Resolver;
};

const MOST = 200;

/**
 * Every list of words that the command can get; undefined if one is not known. A loop gives several, one for each value of
 * its variable. A pattern becomes the names that it matches now, or stays as it is.
 */
export function spellWords(words: readonly ShellWord[], place: WordPlace): readonly (readonly string[])[] | undefined {
  const names = new Set(words.flatMap(({ computed }) => computed?.variables ?? []));
  const [name, ...more] = names;
  if (more.length > 0) return undefined;
  const values = name === undefined ? [''] : valuesOf(name, place);
  const spelled = values?.map((value) => words.map((word) => spellWord(word, value, place)));
  if (spelled === undefined || spelled.some((list) => list.includes(undefined))) return undefined;
  return spelled.map((list) => list.flatMap((one) => one ?? []));
}

function spellWord(word: ShellWord, value: string, place: WordPlace): readonly string[] | undefined {
  const text = word.value ?? fillIn(word, value);
  if (text === undefined) return undefined;
  const path = word.home ? `${place.policy.home}${text.slice(1)}` : text;
  const isQuoted = word.value === undefined ? word.computed?.isOneWord === true : !word.glob;
  if (isQuoted || !/[*?[]/.test(path)) return [path];
  const listed = place.cwds.map((cwd) => listMatches(path, cwd, place.resolver));
  if (listed.some((one) => one === undefined || one.odd)) return undefined;
  const found = [...new Set(listed.flatMap((one) => one?.paths ?? []))];
  return found.length > MOST ? undefined : found.length === 0 ? [path] : found;
}

/** A word of literal text and one plain variable. */
function fillIn(word: ShellWord, value: string): string | undefined {
  const [name, ...more] = word.computed?.variables ?? [];
  if (name === undefined || more.length > 0 || word.computed?.isPlain !== true) return undefined;
  if (word.computed.scripts.length > 0 || (!word.computed.isOneWord && /\s/.test(value))) return undefined;
  if (/['\\]/.test(word.raw) || /"/.test(word.raw.replace(/^"|"$/g, ''))) return undefined;
  const variable = new RegExp(String.raw`\$(?:${name}\b|\{${name}\})`);
  const text = word.raw.replace(/"/g, '');
  return variable.test(text) ? text.replace(variable, () => value) : undefined;
}

/** What only this line sets it to, in literal text; or where the shell and the person's home are. */
function valuesOf(name: string, place: WordPlace): readonly string[] | undefined {
  const { reading, cwds, policy } = place;
  if (reading.commands.some(setsUnseen)) return undefined;
  const set = reading.values.get(name);
  if (set === undefined) {
    if (name === 'HOME') return [policy.home];
    return name === 'PWD' && cwds.length === 1 ? cwds : undefined;
  }
  // A pattern in a loop's list stands for names; one that is assigned, for itself.
  const lists = set.map((word) =>
    word.home ? undefined : [word.value, ...(word.glob ? (spellWord(word, '', place) ?? [undefined]) : [])],
  );
  const values = lists.flatMap((list) => list ?? [undefined]);
  return values.length > 0 && values.length <= MOST && values.every((value) => value !== undefined)
    ? values
    : undefined;
}

/** Builtins that set variables by other ways than an assignment in the line. */
function setsUnseen({ words }: ShellCommand): boolean {
  const [name, option] = words.map(({ value }) => value);
  if (name === 'printf') return option === '-v';
  return (
    /^(?:eval|source|\.|read|mapfile|readarray|getopts|let|unset|declare|typeset|local|readonly|export|set|shift)$/.test(
      name ?? '',
    ) && !(name === 'set' && /^[-+][euxo]/.test(option ?? ''))
  );
}

/** The command with every word whose values are known in their place. */
export function spellCommand(command: ShellCommand, place: WordPlace): ShellCommand {
  if (command.words.every(({ value }) => value !== undefined)) return command;
  const words = command.words.flatMap((word): readonly ShellWord[] => {
    if (word.value !== undefined || word.computed?.scripts.length !== 0) return [word];
    const spelled = spellWords([word], place);
    if (spelled === undefined) return [word];
    return spelled.flat().map((value) => ({ raw: word.raw, value, plain: true, glob: false, home: false }));
  });
  return { ...command, words };
}

/** True if the word can't become an option: its beginning is written, or every value that it can have is known. */
export function isNoOption(word: ShellWord): boolean {
  if (word.value !== undefined) return !word.glob || !/^[*?[-]/.test(word.value);
  const { start = '' } = word.computed ?? {};
  return start !== '' && (!start.startsWith('-') || /^--?[\w-]+=/.test(start));
}
