/** Why the words of a program that otherwise reads don't fit into the reading sandbox. */

import type { ShellWord } from '../../shell/reading/shell-reading.js';

type Objection = (words: readonly ShellWord[]) => string | undefined;

export function objectToOption(option: RegExp, reason: string): Objection {
  return (words) =>
    words.slice(1).some(({ value }) => value !== undefined && option.test(value)) ? reason : undefined;
}

/** Requires an option that makes it read. */
export function objectUnless(reads: RegExp): Objection {
  return (words) =>
    words.slice(1).some(({ value }) => value !== undefined && reads.test(value))
      ? undefined
      : `${words[0]?.value} may change files with these options`;
}

/** `tar tf x`: the letters may come without a dash, in the first word only. */
export function objectToTar(words: readonly ShellWord[]): string | undefined {
  const options = words.slice(1).filter(({ value }, at) => at === 0 || value === undefined || value.startsWith('-'));
  const letters = options.map(({ value }, at) => (at === 0 ? value?.replace(/^(?!-)/, '-') : value));
  const lists = letters.some((value) => value !== undefined && /^(?:-[a-zA-Z]*t[a-zA-Z]*|--list)$/.test(value));
  const more = letters.some(
    (value) => value === undefined || /^-[a-zA-Z]*[xcruA]|^--(?!list$|file|verbose$|gzip$|auto)/.test(value),
  );
  return lists && !more ? undefined : 'tar may change files with these options';
}

/** A subscript is evaluated, which may run its content. */
export function objectToTest(words: readonly ShellWord[]): string | undefined {
  const evaluates = words.some(({ value }) => value === '-v' || value === '-R' || /^\w+\[/.test(value ?? ''));
  return evaluates ? 'test may evaluate what it is given' : undefined;
}

/** Without operands it only lists. */
export function objectToOperands(words: readonly ShellWord[]): string | undefined {
  return words.slice(1).every(({ value }) => value?.startsWith('-') === true)
    ? undefined
    : `${words[0]?.value} changes something with these words`;
}
