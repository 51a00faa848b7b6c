/**
 * The number of words of a command that make a sensible prefix rule: `npm run test`, `git commit`, `python tools/gen.py`.
 * Only where the table of programs says so: never for a bare runner, shell or wrapper, nor for what deletes, sends or installs.
 */

import { findProgram } from './programs/find-program.js';

/** The words that a prefix rule for this command would name; undefined if there is none. The words must be plain. */
export function prefixOf(words: readonly string[]): readonly string[] | undefined {
  const [name = '', ...args] = words;
  // Only the plain name: a rule for another spelling would not be found again.
  const prefixes = (name.startsWith('/') ? undefined : findProgram(name)?.prefixes) ?? [];
  const fitting = prefixes
    .map((prefix) => prefix.split(' ').filter(Boolean))
    .filter((prefix) => prefix.length <= args.length && prefix.every((wanted, at) => fits(wanted, args[at] ?? '')));
  return fitting.length === 0 ? undefined : words.slice(0, 1 + Math.max(...fitting.map((prefix) => prefix.length)));
}

/** NAME: a script or target of the project. SCRIPT: a file of the project. TOOL: a program whose name alone is a prefix. */
function fits(wanted: string, word: string): boolean {
  switch (wanted) {
    case 'NAME':
      return /^[A-Za-z][\w:.-]*$/.test(word);
    case 'SCRIPT':
      return /^(?:[\w@+-]|\.\/)[\w@+./-]*\.\w+$/.test(word) && !word.split('/').includes('..');
    case 'TOOL':
      return findProgram(word)?.prefixes?.includes('') === true;
    default:
      return wanted === word;
  }
}
