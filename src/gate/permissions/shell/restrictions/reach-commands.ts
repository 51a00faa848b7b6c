/**
 * Finds every command that a command line may run, as far as visible: unwrapped from `env`, `xargs`, `sh -c`,
 * `find -exec`, aliases, text fed to a shell. For deny and ask rules: too many candidates are fine, too few are not.
 */

import { findProgram } from '../../programs/find-program.js';
import { examineProgram } from '../examine-program.js';
import { guessBraces } from '../reading/expand-braces.js';
import { NETWORK_DOUBT, readCommand } from '../reading/read-command.js';
import type { ShellCommand, ShellReading } from '../reading/shell-reading.js';
import {
  isLauncher,
  isRunner,
  isShell,
  PROGRAM_OPTION,
  PROGRAM_VARIABLE,
  programName,
  runsInlineCode,
  runsText,
} from './wrappers.js';

/** The words from `start` on are one command; undefined is a word known only at run time. */
export type Candidate = { readonly words: readonly (string | undefined)[]; readonly start: number };

export type Reach = {
  readonly candidates: readonly Candidate[];
  /** The simple commands of the line and of every parsed text in it. */
  readonly commands: readonly ShellCommand[];
  /** Reasons why something that runs can't be seen: a computed name or text, code in another language. */
  readonly hidden: readonly string[];
  /** A shell reads the output of the rest of the line, or a text that could not be parsed. */
  readonly feedsShell: boolean;
  /** Texts for inner shells that are not plain, and words with braces: their words are treated like the line's own. */
  readonly doubtful: readonly string[];
};

/** The beginning of such a reason. */
export const GIVES_CODE = 'it gives code to';

const DEEPEST = 8;
/** Total length of inner texts to parse, as a multiple of the line. */
const INNER_FACTOR = 8;
const MOST_INNER = 500_000;

export function reachCommands(reading: ShellReading): Reach {
  const state: State = {
    candidates: [],
    commands: [],
    hidden: new Set(),
    feedsShell: !reading.parsed,
    doubtful: [],
    budget: Math.min(MOST_INNER, Math.max(10_000, reading.text.length * INNER_FACTOR)),
  };
  reachReading(reading, 0, state);
  return {
    candidates: state.candidates,
    commands: state.commands,
    hidden: [...state.hidden],
    feedsShell: state.feedsShell,
    doubtful: state.doubtful,
  };
}

type State = {
  readonly candidates: Candidate[];
  readonly commands: ShellCommand[];
  readonly hidden: Set<string>;
  readonly doubtful: string[];
  feedsShell: boolean;
  budget: number;
};

function reachReading(reading: ShellReading, depth: number, state: State): void {
  if (!reading.parsed) state.feedsShell = true;
  if (depth > 0 && reading.doubts.length > 0) state.doubtful.push(reading.text);
  if (reading.doubts.includes(NETWORK_DOUBT)) state.hidden.add(NETWORK_DOUBT);
  for (const command of reading.commands) {
    state.commands.push(command);
    for (const { value, raw } of command.words)
      if (value === undefined && raw.includes('{')) state.doubtful.push(guessBraces(raw).join(' '));
  }
  const fed = reading.commands.some(readsItsProgram);
  if (fed) state.feedsShell = true;
  for (const command of reading.commands) reachCommand(command, fed, depth, state);
}

/** A shell without a script, or with stdin as its script, reads its commands from stdin. */
function readsItsProgram(command: ShellCommand): boolean {
  const { words } = command;
  const runs = isRunner(programName(words[0]?.value ?? ''));
  // From the end, so that each word is checked once: true while only options without `c`, or stdin, follow.
  let onlyOptions = true;
  let takesInput = false;
  for (let index = words.length - 1; index >= 0; index -= 1) {
    const value = words[index]?.value;
    const isCandidate = value !== undefined && (index === 0 || runs) && isShell(programName(value));
    if (isCandidate && (onlyOptions || takesInput)) return true;
    onlyOptions &&= value?.startsWith('-') === true && !value.includes('c');
    takesInput ||=
      value !== undefined && /^(?:-[a-z]*s[a-z]*|-|\/dev\/stdin|\/dev\/fd\/.*|\/proc\/[^/]+\/fd\/.*)$/.test(value);
  }
  return false;
}

function reachCommand(command: ShellCommand, fed: boolean, depth: number, state: State): void {
  const words = command.words.map((word) => word.value);
  for (const { name, value } of command.assignments) {
    if (value !== undefined && PROGRAM_VARIABLE.test(name)) reachText(value, depth, state);
  }
  if (fed || command.words.some((word) => word.value !== undefined && isShell(programName(word.value)))) {
    for (const redirect of command.redirects) if (redirect.kind === 'body') reachText(redirect.text, depth, state);
  }
  const first = command.words[0];
  if (first === undefined) return;
  state.candidates.push({ words, start: 0 });
  if (first.value === undefined || first.glob) {
    state.hidden.add('the name of a program in it is computed');
    reachEveryWord(words, 1, depth, state);
    return;
  }
  const name = programName(first.value);
  if (
    /^g?sed$/.test(name) &&
    examineProgram(
      words.map((word) => word ?? ''),
      false,
    ).unproven?.some(({ option }) => option !== true)
  )
    state.hidden.add(`${GIVES_CODE} sed`);
  // A runner at the end takes the program's name from the input.
  if (/^(?:xargs|parallel)$/.test(name) && endsWithRunner(words))
    state.hidden.add('the name of a program in it is computed');
  if (command.words.some(({ raw }) => raw.startsWith('<(')) && isTextRunner(name))
    state.hidden.add(`${GIVES_CODE} ${name}`);
  if (runsInlineCode(name, words.slice(1))) state.hidden.add(`${GIVES_CODE} ${name}`);
  if (takesProjectText(command, name)) state.hidden.add(`${GIVES_CODE} ${name}`);
  if (isRunner(name) && words.includes(undefined)) state.hidden.add(`a word for ${name} is computed`);
  const shell = words.findIndex((word, at) => at > 0 && word !== undefined && runsText(programName(word)));
  if (shell > 0) reachShellWord(words, shell, state);
  if (isRunner(name) || isLauncher(name) || fed || shell > 0) reachEveryWord(words, 1, depth, state);
  else reachOptions(name, words, depth, state);
  if (isShell(name) || name === 'eval' || name === 'trap') {
    if (words.includes(undefined)) state.hidden.add(`it gives a computed text to ${name}`);
    if (name === 'eval') reachText(words.slice(1).join(' '), depth, state);
  }
}

/** A build tool whose file is its input, or whose settings in the line name a program: `make -f - <<< …`, `cargo --config …`. */
function takesProjectText({ words, redirects }: ShellCommand, name: string): boolean {
  if (findProgram(name)?.runs !== 'project') return false;
  const isFed = words.some(({ value }) => value === undefined || /^(?:-|-f-|\/dev\/.*|\/proc\/.*)$/.test(value));
  if (isFed && redirects.some(({ kind }) => kind === 'body' || kind === 'read')) return true;
  return words.some(({ value }) => /(?:runner|wrapper|linker|rustc|toolexec|script-shell)["']?\s*=/.test(value ?? ''));
}

function endsWithRunner(words: readonly (string | undefined)[]): boolean {
  const operands = words.slice(1).filter((word) => word === undefined || !/^-|^\d+$|^\{\}$/.test(word));
  const last = operands.at(-1);
  return last === undefined || isRunner(programName(last));
}

/** Programs that take their instructions from a file. */
function isTextRunner(name: string): boolean {
  return (
    /^(?:g?make|just|task|awk|gawk|mawk|sqlite3|psql|mysql|bc|dc|m4|at|batch|crontab)$/.test(name) || runsText(name)
  );
}

/** A shell or interpreter among the arguments of any program: it may be started, with the following words. */
function reachShellWord(words: readonly (string | undefined)[], at: number, state: State): void {
  const name = programName(words[at] ?? '');
  if (isShell(name) && words.slice(at + 1).includes(undefined)) state.hidden.add(`a word for ${name} is computed`);
}

function reachEveryWord(words: readonly (string | undefined)[], from: number, depth: number, state: State): void {
  for (let start = from; start < words.length; start += 1) {
    const word = words[start];
    if (word === undefined) continue;
    state.candidates.push({ words, start });
    if (runsInlineCode(programName(word), words.slice(start + 1, start + 20)))
      state.hidden.add(`${GIVES_CODE} ${programName(word)}`);
    if (/[\s;|&`$(){}<>'"\\]/.test(word)) reachText(word, depth, state);
    const value = /^[^=]*=([\s\S]+)$/.exec(word)?.[1];
    if (value !== undefined) reachText(value, depth, state);
    if (/^-[a-zA-Z]\S/.test(word)) reachText(word.slice(2), depth, state);
  }
}

/** Programs that are not runners but run something through an option or a sub-command. */
function reachOptions(name: string, words: readonly (string | undefined)[], depth: number, state: State): void {
  words.forEach((word, index) => {
    if (word === undefined || index === 0) return;
    const option = PROGRAM_OPTION.exec(word);
    if (option !== null) {
      if (option[1] !== undefined) reachText(option[1].replace(/^exec=/, ''), depth, state);
      reachEveryWord(words, index + 1, depth, state);
    }
    if (name === 'git' && (word === 'run' || word === 'foreach')) reachEveryWord(words, index + 1, depth, state);
    if (name === 'git' && /^[-\w]*[xO]\S/.test(word) && word.startsWith('-')) reachText(word.slice(2), depth, state);
    const alias = name === 'git' ? /^alias\.[^=]+=([^!][\s\S]*)$/.exec(word)?.[1] : undefined;
    if (alias !== undefined) reachText(`git ${alias}`, depth, state);
    const set = /^[^=\s]+=!?([\s\S]+)$/.exec(word);
    const isText = /^--(?:grep|author|committer|format|pretty|since|until|after|before|message|date)=/.test(word);
    if (name === 'git' && set?.[1] !== undefined && !isText) reachText(set[1], depth, state);
    if (word.startsWith('!')) reachText(word.slice(1), depth, state);
    if (/^ext::/.test(word)) reachText(word.slice(5), depth, state);
  });
}

function reachText(text: string, depth: number, state: State): void {
  // Each text has a minimum cost.
  state.budget -= text.length + 50;
  if (depth >= DEEPEST || state.budget < 0) {
    state.hidden.add('it nests commands too deep to follow');
    state.feedsShell = true;
    return;
  }
  reachReading(readCommand(text), depth + 1, state);
}
