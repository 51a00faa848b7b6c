/**
 * Lines that run outside the sandbox although this machine has one, because their text proves that they only read. Only
 * lines whose output the sandbox would change, with plain filters: any other could escape by adding a word in front.
 */

import type { BoxFacts } from '../../policy.js';
import { examineProgram } from '../examine-program.js';
import type { ShellCommand, ShellReading } from '../shell-reading.js';
import { findBoxProgram } from './box-programs.js';

/** They read another program's output, or print what is in the line. */
const FILTERS = new Set(
  'grep egrep fgrep head tail wc sort uniq cut tr cat column nl echo printf true false : pwd date sleep'.split(' '),
);

/** Every command of the line must already be proven by its text. */
export function mayRunOutside({ commands }: ShellReading, box: BoxFacts): boolean {
  return commands.every((command) => changesInBox(command, box) || isFilter(command));
}

function changesInBox(command: ShellCommand, box: BoxFacts): boolean {
  const words = command.words.map(({ value }) => value ?? '');
  const [name] = words;
  if (name === undefined || hasBraces(command) || hasFiles(command)) return false;
  if (name === 'git') return !box.gitIsWhole;
  if (isList(command)) return true;
  const finding = examineProgram(words, false);
  return finding.confinedNever === true || (findBoxProgram(name) === undefined && finding.paths.length === 0);
}

function isFilter(command: ShellCommand): boolean {
  const words = command.words.map(({ value }) => value ?? '');
  if (!FILTERS.has(words[0] ?? '') || hasBraces(command) || hasFiles(command)) return false;
  return examineProgram(words, false).paths.length === 0;
}

function isList({ words }: ShellCommand): boolean {
  return /^(?:ls|dir|vdir)$/.test(words[0]?.value ?? '');
}

/** Our expansion and the shell's could differ, so neither must decide alone. */
function hasBraces({ words }: ShellCommand): boolean {
  return words.some(({ raw, value, spelled }) => spelled === true || (value === '-' && raw !== '-'));
}

function hasFiles({ redirects }: ShellCommand): boolean {
  return redirects.some(
    (redirect) =>
      redirect.kind !== 'duplicate' && (redirect.kind === 'body' || !/^\/dev\/null$/.test(redirect.target.value ?? '')),
  );
}
