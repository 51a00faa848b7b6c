/**
 * Decides whether a command computes what it runs (`sh hooks/*.sh`, `$dir/run`, `find … -exec sh {}`), and where that may be.
 * An approval then binds the scripts of these folders, because the files can't be read from the command (GT-3). Pure.
 */

import { isInterpreter, isProgram, readWord, wholeWords } from './executed-files.js';

/** The project's folder, computed in the usual ways. */
const ROOT_COMMAND = /\$\(\s*(?:git\s+rev-parse\s+--show-toplevel(?:\s+2>\s*\/dev\/null)?|pwd)\s*\)/g;
/** Programs found on the PATH. */
const FOUND_PROGRAM = /\$\(\s*(?:which|command\s+-v|npm\s+bin)[^()`$]*\)/g;

/** Replaces substitutions with a known result, so that the words around them can be read. */
export function resolveSubstitutions(command: string): string {
  return command.replace(ROOT_COMMAND, () => `\${CLAUDE_PROJECT_DIR}`).replace(FOUND_PROGRAM, 'program');
}

/** True if the files that it runs can't be told from its words. `known`: replaces variables with a known value. */
export function computesWhatRuns(command: string, known: (word: string) => string): boolean {
  const words = wholeWords(command);
  const isComputed = (word: string) => DYNAMIC.test(withoutForeign(known(word), command)) && !SYNTAX.test(word);
  return words.some((word, index) => {
    const before = words[index - 1] ?? '';
    if (isComputed(word)) {
      const isRun = readWord(words, index).isRun || isProgram(words, index) || RUNS_NEXT.test(before);
      if (isRun) return true;
    }
    // Text within quotes, for a shell.
    if (/\s/.test(word) && word !== command && computesWhatRuns(word, known)) return true;
    return RUNS_INPUT.test(before) && isInterpreter(word) && !READS_DATA.test(word) && !hasOperand(words, index);
  });
}

const DYNAMIC = /[*?[\]{}$`]/;
/** Not programs: parts of the shell's syntax, and assignments. */
const SYNTAX = /^(?:\w+\+?=.*|\[\[?|\]\]?|[{}]|\$\?|\$#)$/s;
const RUNS_NEXT = /^(?:-exec|-execdir|-ok|-okdir|eval)$/;
/** An interpreter behind one of these runs what comes in: files by name, or text. */
const RUNS_INPUT = /^(?:xargs|parallel|\||-n\d*|-I|-0|-r|-L\d*|-P\d*)$/;

const READS_DATA = /^(?:jq|sed|[gm]?awk|env|run|exec|watch)$/;

function hasOperand(words: readonly string[], index: number): boolean {
  const next = words.slice(index + 1).find((word) => !word.startsWith('-'));
  return next !== undefined && !/^[;&|<()]$/.test(next);
}

/** Variables that the command does not assign have their value from the environment, not from the project. */
function withoutForeign(word: string, command: string): string {
  return word.replace(/\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g, (whole, braced, plain) =>
    assigns(command, String(braced ?? plain)) ? whole : '',
  );
}

function assigns(command: string, name: string): boolean {
  return new RegExp(`\\b${name}\\+?=|\\bfor\\s+${name}\\b|\\b(?:read|mapfile|readarray)\\b[^;|&]*\\b${name}\\b`).test(
    command,
  );
}

/** The part of a word that is a path as written: of `hooks/{a,b}*.sh`, `hooks`. */
export function literalFolder(word: string): string | undefined {
  const at = word.search(DYNAMIC);
  if (at < 0) return word;
  const end = word.slice(0, at).lastIndexOf('/');
  return end < 0 ? undefined : word.slice(0, end) || '/';
}
