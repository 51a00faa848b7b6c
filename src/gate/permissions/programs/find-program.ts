/** Finds what is known about a program by its name: a row of the table, or of its sub-command. */

import type { Program } from './program.js';
import { ROWS } from './rows/rows.js';
import { SHELL } from './rows/shell.js';

/** Other names of the same program. */
const VERSIONED: readonly (readonly [RegExp, string])[] = [
  [/^python[23]?(?:\.\d+)*$/, 'python3'],
  [/^pypy[23]?(?:\.\d+)*$/, 'pypy3'],
  [/^ipython\d*$/, 'ipython'],
  [/^pip[23]?(?:\.\d+)*$/, 'pip'],
  [/^(perl|ruby|php|lua|tclsh|wish|guile)-?\d+(?:\.\d+)*$/, '$1'],
  [/^(gcc|g\+\+|clang|clang\+\+|cpp)-\d+(?:\.\d+)*$/, '$1'],
  [/^mkfs\.\w+$/, 'mkfs'],
  [/^(?:ld-(?:linux|musl)[\w.-]*)$/, 'ld.so'],
];

/** Only plain names and those in `/bin` and `/usr/bin`: any other path is a script of its own. */
export function findProgram(name: string): Program | undefined {
  const plain = plainName(name);
  if (Object.hasOwn(ROWS, plain)) return ROWS[plain];
  const form = VERSIONED.find(([pattern]) => pattern.test(plain));
  if (form === undefined) return undefined;
  const base = plain.replace(form[0], form[1]);
  return Object.hasOwn(ROWS, base) ? ROWS[base] : undefined;
}

/** The shell itself does it: no file of that name is started. */
export function isBuiltin(name: string): boolean {
  return Object.hasOwn(SHELL, name) ? SHELL[name]?.runs === undefined : /^(?:true|false|pwd|type)$/.test(name);
}

/** `/usr/bin/x` and `/bin/x` mean x. */
export function plainName(name: string): string {
  return /^\/(?:usr\/)?bin\/[^/]+$/.test(name) ? name.slice(name.lastIndexOf('/') + 1) : name;
}

export type FoundCommand = {
  readonly row: Program;
  /** The index of the sub-command, if the program has them and one is given. */
  readonly at?: number;
  /** The row is that of the program: this sub-command is not one of its own, or is computed. */
  readonly unknown?: true;
};

/** The row of the sub-command, if the program has any: `pnpm dlx`, `git commit`. */
export function findCommand(words: readonly (string | undefined)[]): FoundCommand | undefined {
  const row = words[0] === undefined ? undefined : findProgram(words[0]);
  return row === undefined ? undefined : descend(row, words, 1);
}

function descend(row: Program, words: readonly (string | undefined)[], from: number): FoundCommand {
  const { commands } = row;
  const at = commands === undefined ? -1 : firstOperand(row, words, from);
  if (commands === undefined || at < 0) return { row };
  const name = words[at];
  const command = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) return { row, at, unknown: true };
  const deeper = descend(command, words, at + 1);
  return { ...deeper, at: deeper.at ?? at };
}

/** The index of the first word that is neither an option nor the value of one. */
export function firstOperand(row: Program, words: readonly (string | undefined)[], from: number): number {
  for (let at = from; at < words.length; at += 1) {
    const word = words[at];
    if (word === '--') return at + 1 < words.length ? at + 1 : -1;
    if (word === undefined || !/^-./.test(word)) return at;
    if (takesNext(row, word)) at += 1;
  }
  return -1;
}

/** True if the option's value is the next word: `-C folder`, `-qC folder`, `--namespace x`. */
export function takesNext(row: Program, word: string): boolean {
  const names = `${row.texts ?? ''} ${row.longValued ?? ''}`.split(' ');
  if (word.startsWith('--')) return names.includes(word.slice(2));
  const letters = `${row.valued ?? ''}${names.filter((name) => name.length === 1).join('')}`;
  const first = [...word.slice(1)].findIndex((letter) => letters.includes(letter));
  return first >= 0 && first === word.length - 2;
}
