/**
 * The programs that read, for lines that run in the read-only sandbox (GT-24): in there they can change nothing and reach
 * nobody, so only what they run and set is examined. A program without a row for it does not fit.
 */

import { findProgram } from '../../programs/find-program.js';
import type { Program } from '../../programs/program.js';
import type { ShellWord } from '../reading/shell-reading.js';

/** The surrounding line, for the examination of a program. */
export type BoxLine = {
  /** The reason why the command in these words, run by the examined one, does not fit; undefined if it does. */
  runs(words: readonly ShellWord[]): string | undefined;
  /** The reason why this text for an inner shell does not fit. */
  runsText(text: string): string | undefined;
  /** The reason why a variable of this name may not be set. */
  sets(name: string): string | undefined;
};

/** Returns the reason why the command does not fit into the sandbox; undefined if it does. */
type Examine = (words: readonly ShellWord[], line: BoxLine) => string | undefined;

/** Undefined if the program is not for the sandbox. */
export function findBoxProgram(name: string): Examine | undefined {
  const row = findProgram(name);
  if (row === undefined) return undefined;
  if (row.confined === undefined && typeof row.wraps !== 'function') return undefined;
  return (words, line) =>
    ownObjection(row, words) ?? setObjection(row, words, line) ?? innerObjection(row, words, line);
}

function ownObjection({ confined }: Program, words: readonly ShellWord[]): string | undefined {
  return typeof confined === 'function' ? confined(words) : undefined;
}

function setObjection({ sets }: Program, words: readonly ShellWord[], line: BoxLine): string | undefined {
  const names = sets?.(words) ?? [];
  return typeof names === 'string' ? names : first(names, (name) => line.sets(name));
}

function innerObjection(row: Program, words: readonly ShellWord[], line: BoxLine): string | undefined {
  if (typeof row.wraps !== 'function') return undefined;
  const wrapped = row.wraps(words);
  if (!wrapped.ok) return wrapped.reason;
  const nothing = wrapped.commands.length === 0 && wrapped.texts.length === 0;
  if (nothing && words[0]?.value === 'env') return 'the environment is another one where it is confined';
  return (
    first(wrapped.sets, (name) => line.sets(name)) ??
    first(wrapped.commands, (command) => line.runs(command)) ??
    first(wrapped.texts, (text) => line.runsText(text))
  );
}

function first<T>(items: readonly T[], object: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const reason = object(item);
    if (reason !== undefined) return reason;
  }
  return undefined;
}
