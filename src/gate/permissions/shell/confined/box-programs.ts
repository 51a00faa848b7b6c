/**
 * The programs that read, for lines that run in the read-only sandbox (GT-24). They can change nothing and reach nobody
 * there, so their options are unrestricted: the table lists programs that users expect to run without asking, and whose
 * output is the same in the sandbox. A program that is not listed does not fit.
 */

import { nameSet } from '../../programs/name-set.js';
import type { ShellWord } from '../shell-reading.js';

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

const FREE = nameSet(`
  cat tac head tail less more bat batcat wc nl rev cut paste fold fmt pr expand unexpand column comm join cmp diff diff3 sdiff
  colordiff tr uniq shuf tsort stat file tree du basename dirname realpath readlink namei cksum sum md5sum sha1sum sha224sum
  sha256sum sha384sum sha512sum b2sum base64 base32 od hexdump hd xxd strings iconv seq factor numfmt expr bc dc jq yq xmllint grep
  egrep fgrep zgrep zegrep zfgrep bzgrep xzgrep rg ag ack fd fdfind awk gawk mawk nawk zcat bzcat xzcat zstdcat lz4cat zless zmore
  zdiff zcmp nm objdump readelf size c++filt addr2line cloc tokei scc date cal man ls dir vdir exa eza lsd look which whereis sleep
  getconf locale uname arch nproc
  echo : true false pwd type shift return exit break continue wait set shopt`);

const EXAMINED: Readonly<Record<string, Examine>> = {
  sed: (words) => without(words, /^(?:-[a-zA-Z]*i|--in-place)/, 'sed -i changes files'),
  sort: (words) => without(words, /^(?:-[a-zA-Z]*o|--output)/, 'sort -o writes a file'),
  find: examineFind,
  xargs: examineXargs,
  tar: examineTar,
  unzip: (words) => onlyWith(words, /^-[a-zA-Z]*[lvZptz]/),
  zipinfo: () => undefined,
  gzip: (words) => onlyWith(words, /^(?:-[a-z]*[cltV]|--(?:stdout|list|test|version|help))/),
  gunzip: (words) => onlyWith(words, /^(?:-[a-z]*[cltV]|--(?:stdout|list|test|version|help))/),
  bzip2: (words) => onlyWith(words, /^(?:-[a-z]*[ct]|--(?:stdout|test))/),
  xz: (words) => onlyWith(words, /^(?:-[a-z]*[clt]|--(?:stdout|list|test))/),
  zstd: (words) => onlyWith(words, /^(?:-[a-z]*[clt]|--(?:stdout|list|test))/),
  ar: (words) => onlyWith(words, /^-?[a-z]*[tp]/),
  cpio: (words) => onlyWith(words, /^(?:-[a-z]*t|--list)/),
  jar: (words) => onlyWith(words, /^(?:-?[a-z]*t|--list)/),
  test: examineTest,
  '[': examineTest,
  cd: (words) => (words.length < 2 ? 'cd without a path goes to the home folder' : undefined),
  command: examineCommand,
  builtin: (words, line) => line.runs(words.slice(1)),
  nohup: (words, line) => inner(words, /^$/, 0, line),
  time: (words, line) => inner(words, /^-p$/, 0, line),
  nice: (words, line) => inner(words, /^-(?:n|\d+|n\d+)$/, 0, line, /^-n$/),
  ionice: (words, line) => inner(words, /^-[cn]\d*$/, 0, line, /^-[cn]$/),
  stdbuf: (words, line) => inner(words, /^-[ioe]\S*$/, 0, line, /^-[ioe]$/),
  timeout: (words, line) => inner(words, /^(?:-[ksv]\S*|--[a-z-]+(?:=\S*)?)$/, 1, line, /^-[ks]$/),
  env: examineEnv,
  sh: examineShell,
  bash: examineShell,
  dash: examineShell,
  read: (words, line) => namesSet(words, /^-[adinNptu]$/, line),
  mapfile: (words, line) =>
    without(words, /^-[a-zA-Z]*[Cc]/, 'mapfile runs a command') ?? namesSet(words, /^-[dnOstu]$/, line),
  readarray: (words, line) =>
    without(words, /^-[a-zA-Z]*[Cc]/, 'readarray runs a command') ?? namesSet(words, /^-[dnOstu]$/, line),
  printf: (words, line) => (words[1]?.value === '-v' ? namesSet(words.slice(1, 3), /^$/, line) : undefined),
  unset: (words, line) => namesSet(words, /^$/, line),
  local: examineDeclare,
  declare: examineDeclare,
  typeset: examineDeclare,
  readonly: examineDeclare,
  export: examineDeclare,
};

/** Undefined if the program is not in the table. */
export function findBoxProgram(name: string): Examine | undefined {
  if (FREE.has(name)) return () => undefined;
  return Object.hasOwn(EXAMINED, name) ? EXAMINED[name] : undefined;
}

function without(words: readonly ShellWord[], option: RegExp, reason: string): string | undefined {
  return words.slice(1).some(({ value }) => value !== undefined && option.test(value)) ? reason : undefined;
}

/** Requires an option that makes it read, and none that makes it do more. */
function onlyWith(words: readonly ShellWord[], reads: RegExp, more?: RegExp): string | undefined {
  const options = words.slice(1).map(({ value }) => value);
  const reading = options.some((value) => value !== undefined && reads.test(value));
  const changing = more !== undefined && options.some((value) => value !== undefined && more.test(value));
  return reading && !changing ? undefined : `${words[0]?.value} may change files with these options`;
}

/** `tar tf x`: the letters may come without a dash, in the first word only. */
function examineTar(words: readonly ShellWord[]): string | undefined {
  const options = words.slice(1).filter(({ value }, at) => at === 0 || value === undefined || value.startsWith('-'));
  const letters = options.map(({ value }, at) => (at === 0 ? value?.replace(/^(?!-)/, '-') : value));
  const lists = letters.some((value) => value !== undefined && /^(?:-[a-zA-Z]*t[a-zA-Z]*|--list)$/.test(value));
  const more = letters.some(
    (value) => value === undefined || /^-[a-zA-Z]*[xcruA]|^--(?!list$|file|verbose$|gzip$|auto)/.test(value),
  );
  return lists && !more ? undefined : 'tar may change files with these options';
}

/** A wrapper: skips its own options and words, then judges the command it runs. */
function inner(
  words: readonly ShellWord[],
  option: RegExp,
  own: number,
  line: BoxLine,
  valued?: RegExp,
): string | undefined {
  let at = 1;
  for (; at < words.length; at += 1) {
    const value = words[at]?.value;
    if (value === undefined || !value.startsWith('-')) break;
    if (!option.test(value)) return `${words[0]?.value}'s option ${value} is not known`;
    if (valued?.test(value)) at += 1;
  }
  return line.runs(words.slice(at + own));
}

const XARGS_PLAIN = /^(?:-[0rtx]+|--(?:null|no-run-if-empty|verbose|exit))$/;
const XARGS_VALUED = /^-[adEILnPs]$/;
const XARGS_ATTACHED =
  /^(?:-[adEILnPsie]\S*|--(?:max-args|max-procs|max-lines|max-chars|delimiter|replace|eof|arg-file)(?:=\S*)?)$/;

function examineXargs(words: readonly ShellWord[], line: BoxLine): string | undefined {
  let at = 1;
  let replaced = '{}';
  for (; at < words.length; at += 1) {
    const value = words[at]?.value;
    if (value === undefined) return 'an option of xargs is computed';
    if (!value.startsWith('-')) break;
    if (value.startsWith('-I')) replaced = value.slice(2) || (words[at + 1]?.value ?? '');
    if (XARGS_VALUED.test(value)) at += 1;
    else if (!XARGS_PLAIN.test(value) && !XARGS_ATTACHED.test(value)) return `xargs's option ${value} is not known`;
  }
  return at < words.length ? line.runs(fillIn(words.slice(at), replaced)) : undefined;
}

/** Words with a placeholder that is replaced at run time are computed. */
function fillIn(words: readonly ShellWord[], mark: string): readonly ShellWord[] {
  return words.map((word) => (mark !== '' && word.value?.includes(mark) ? { ...word, value: undefined } : word));
}

function examineFind(words: readonly ShellWord[], line: BoxLine): string | undefined {
  for (let at = 1; at < words.length; at += 1) {
    const value = words[at]?.value;
    if (value === undefined) continue;
    if (/^-(?:delete|fprint|fprint0|fprintf|fls)$/.test(value)) return `find ${value} changes files`;
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(value)) continue;
    const end = words.findIndex((word, index) => index > at && (word.value === ';' || word.value === '+'));
    const command = fillIn(words.slice(at + 1, end < 0 ? undefined : end), '{}');
    if (value.endsWith('dir') && command[0]?.value === 'git') return 'it is unclear in which repository git runs';
    const problem = line.runs(command);
    if (problem !== undefined) return problem;
    if (end >= 0) at = end;
  }
  return undefined;
}

function examineCommand(words: readonly ShellWord[], line: BoxLine): string | undefined {
  if (/^-[vV]$/.test(words[1]?.value ?? '')) return undefined;
  return inner(words, /^-p$/, 0, line);
}

function examineEnv(words: readonly ShellWord[], line: BoxLine): string | undefined {
  let at = words[1]?.value === '--' ? 2 : 1;
  for (; at < words.length; at += 1) {
    const set = /^([A-Za-z_]\w*)=/.exec(words[at]?.raw ?? '')?.[1];
    if (set === undefined) break;
    const problem = line.sets(set);
    if (problem !== undefined) return problem;
  }
  if (at === words.length) return 'the environment is another one where it is confined';
  return line.runs(words.slice(at));
}

/** Accepts only a text written in the line: a script or piped text can't be checked. */
function examineShell(words: readonly ShellWord[], line: BoxLine): string | undefined {
  const option = words[1]?.value ?? '';
  if (option === '-n' || option === '--version') return undefined;
  const text = words[2]?.value;
  if (!/^-[eux]*c$/.test(option) || text === undefined) return `${words[0]?.value} runs a script that can't be seen`;
  return line.runsText(text);
}

function namesSet(words: readonly ShellWord[], valued: RegExp, line: BoxLine): string | undefined {
  for (let at = 1; at < words.length; at += 1) {
    const value = words[at]?.value;
    if (value === undefined) return 'the name of a variable in it is computed';
    if (value.startsWith('-')) {
      if (valued.test(value)) at += 1;
      continue;
    }
    const problem = line.sets(value);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** A subscript is evaluated, which may run its content. */
function examineTest(words: readonly ShellWord[]): string | undefined {
  const evaluates = words.some(({ value }) => value === '-v' || value === '-R' || /^\w+\[/.test(value ?? ''));
  return evaluates ? 'test may evaluate what it is given' : undefined;
}

/** Its assignments are judged with the others of the line. */
function examineDeclare(words: readonly ShellWord[], line: BoxLine): string | undefined {
  for (const { raw, value } of words.slice(1)) {
    // With -i the value is evaluated, which may run its content.
    if (/^[-+][aAlrtux]+$/.test(value ?? '')) continue;
    const name = /^([A-Za-z_]\w*)(?:\+?=|$)/.exec(raw)?.[1];
    if (name === undefined) return 'the name of a variable in it is computed';
    const problem = line.sets(name);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
