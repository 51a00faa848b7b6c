/** Examines one plain command: what it is known to do, and which words a rule for the program does not cover. */

import { findProgram, plainName } from '../programs/find-program.js';
import { findQuery } from '../programs/find-query.js';
import { findRisks } from '../programs/find-risks.js';
import { possiblePaths } from '../programs/possible-paths.js';
import type { Program, Reader, Wrapped } from '../programs/program.js';
import { findWritten } from '../programs/written-paths.js';
import { examineGit } from './examine-git.js';
import type { Finding, PathUse } from './finding.js';
import { type OptionSpec, type Problem, readOptions } from './read-options.js';
import type { ShellWord } from './reading/shell-reading.js';

export function examineProgram(given: readonly string[], ownWorktree: boolean, depth = 0): Finding {
  const [written = '', ...rest] = given;
  const name = plainName(written);
  const words = [name, ...rest];
  if (name === 'git') return examineGit(words, ownWorktree);
  const row = findProgram(name);
  const proof = row === undefined ? undefined : prove(row, words);
  if (proof !== undefined && proof.problems.length === 0) return proof;
  const wrapper = row === undefined ? undefined : examineWrapper(row, words, depth);
  if (wrapper?.inner !== undefined) return wrapper;
  const problems = wrapper?.problems ?? (row?.shell === true ? [wholeOnly(words)] : findRisks(words));
  const use = row?.writes?.split(' ').includes('=') === true ? 'write' : 'unknown';
  const paths = possiblePaths(words, use).map((one) =>
    isScript(row, words, one) ? { ...one, use: 'read' as const } : one,
  );
  const more = row === undefined ? [] : findWritten(row, words);
  return {
    reads: false,
    problems,
    paths: [...(proof?.paths ?? []), ...more, ...paths],
    ...(proof === undefined ? {} : { unproven: proof.problems, ...(proof.edits === true ? { edits: true } : {}) }),
  };
}

/** The first word of an interpreter is a script that it reads. What the script does is covered by a rule for the interpreter. */
function isScript(row: Program | undefined, [, first = '']: readonly string[], { at }: PathUse): boolean {
  return at === 1 && !first.startsWith('-') && (row?.runs === 'shell' || row?.runs === 'code');
}

/** Undefined: it is not among those that can be proven to only read, or to only create files. */
function prove(row: Program, words: readonly string[]): Finding | undefined {
  const { reads, creates } = row;
  const query = findQuery(words);
  if (query !== undefined) return query;
  if (typeof reads === 'function') return reads(words);
  if (reads !== undefined) return examineSimple(words, reads);
  return creates === undefined ? undefined : examineEditor(words, creates);
}

function wholeOnly(words: readonly string[]): Problem {
  return { at: words.length - 1, reason: `${words[0]} changes how the shell works` };
}

function examineSimple(words: readonly string[], reader: Reader): Finding {
  const { operands, options, problems } = readOptions(words, 1, reader);
  const most = reader.operands === 'none' ? 0 : (reader.mostOperands ?? Number.POSITIVE_INFINITY);
  const extra = operands
    .slice(most)
    .map(({ at }): Problem => ({ at, reason: `${words[0]} may do more with this word than read it` }));
  const more = reader.argumentFiles === true ? findArgumentFiles(words) : [];
  const isFiles = (reader.operands ?? 'files') === 'files';
  const files = isFiles ? operands.filter(({ value }) => value !== '-') : [];
  // Another version of the program may read such a word as a file.
  const texts = (reader.texts ?? '').split(' ');
  const values = options.filter((option) => option.apart === true && !texts.includes(option.name));
  return {
    reads: true,
    problems: [...problems, ...extra, ...more],
    paths: [...files, ...values].map(
      ({ value, at }): PathUse => ({ at, path: value, use: 'read', ...(reader.filesOnly ? { filesOnly: true } : {}) }),
    ),
  };
}

function findArgumentFiles(words: readonly string[]): readonly Problem[] {
  return words.flatMap((word, at) =>
    at > 0 && word.startsWith('@') ? [{ at, reason: `${words[0]} may read more arguments from ${word}` }] : [],
  );
}

/** True for variables that change neither which program runs nor what it reads. */
export function isHarmlessVariable(name: string, value: string | undefined): boolean {
  return HARMLESS_VARIABLES.has(name) && value !== undefined && /^[\w.,:@+-]*$/.test(value);
}

const HARMLESS_VARIABLES = new Set(
  'CI NODE_ENV NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE LANG LC_ALL LC_CTYPE LC_COLLATE RUST_BACKTRACE COLUMNS LINES TERM'.split(
    ' ',
  ),
);

/** Limited, because each level examines all following words. */
const DEEPEST_WRAPPING = 8;

/** Undefined for a program that is no wrapper, or whose rule covers whatever it runs. */
function examineWrapper(row: Program, words: readonly string[], depth: number): Finding | undefined {
  const { wraps } = row;
  if (wraps === undefined || row.runs !== undefined || row.wrapsByOption === true || row.shell === true)
    return undefined;
  if (depth >= DEEPEST_WRAPPING) return ruleOnly([{ at: words.length - 1, reason: 'it nests programs too deep' }]);
  const found = wraps === 'unclear' ? undefined : findInner(wraps(words.map(plainWord)), words);
  const at = found ?? (words[1]?.startsWith('-') === false ? 1 : words.length - 1);
  // A rule that names the inner program covers only what it would cover without the wrapper.
  const own = at > 0 && at < words.length ? examineProgram(words.slice(at), false, depth + 1).problems : [];
  const problems = own.map((problem) => ({ ...problem, at: problem.at + at }));
  const all = ruleOnly([{ at, reason: `${words[0]} runs another program` }, ...problems]);
  return found === undefined ? all : { ...all, inner: at };
}

function ruleOnly(problems: readonly Problem[]): Finding {
  return { reads: false, problems, paths: [] };
}

function plainWord(value: string): ShellWord {
  return { raw: value, value, plain: true, glob: false, home: false };
}

/** Where the wrapped command starts, if running it is all that happens. */
function findInner(wrapped: Wrapped, words: readonly string[]): number | undefined {
  if (!wrapped.ok || wrapped.texts.length > 0 || wrapped.commands.length !== 1) return undefined;
  const [command = []] = wrapped.commands;
  const at = words.length - command.length;
  if (command.some(({ value }, index) => value !== words[at + index])) return undefined;
  const sets = words.slice(1, at).every((word) => {
    const [, name, value] = /^(\w+)=([\s\S]*)$/.exec(word) ?? [];
    return name === undefined || isHarmlessVariable(name, value);
  });
  return sets && wrapped.sets.length <= words.slice(1, at).filter((word) => word.includes('=')).length ? at : undefined;
}

function examineEditor(words: readonly string[], spec: OptionSpec): Finding {
  const { operands, problems } = readOptions(words, 1, spec);
  const none = operands.length === 0 ? [{ at: 0, reason: `${words[0]} names no file` }] : [];
  return {
    reads: false,
    edits: true,
    problems: [...problems, ...none],
    paths: operands.map(({ value, at }): PathUse => ({ at, path: value, use: 'write' })),
  };
}
