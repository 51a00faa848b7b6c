/** Examines one plain command: what it is known to do, and which words a rule for the bare program can't cover. */

import { EXACT_READERS } from '../programs/exact-readers.js';
import { findUncovered, isTool } from '../programs/ordinary-arguments.js';
import { possiblePaths } from '../programs/possible-paths.js';
import { SIMPLE_READERS, type SimpleReader } from '../programs/simple-readers.js';
import { SPECIAL_READERS } from '../programs/special-readers.js';
import { findVersionQuery } from '../programs/version-queries.js';
import { examineGit } from './examine-git.js';
import type { Finding, PathUse } from './finding.js';
import { type OptionSpec, type Problem, readOptions } from './read-options.js';

export function examineProgram(given: readonly string[], ownWorktree: boolean, depth = 0): Finding {
  const [written = '', ...rest] = given;
  const name = /^\/(?:usr\/)?bin\/[^/]+$/.test(written) ? written.slice(written.lastIndexOf('/') + 1) : written;
  const words = [name, ...rest];
  if (name === 'git') return examineGit(words, ownWorktree);
  const found = examineKnown(name, words, depth) ?? examineOther(words);
  const isProven = (found.reads || found.edits === true) && found.problems.length === 0;
  // A reader with an option that is not proven may write too.
  const use = Object.hasOwn(WRITERS, name) ? 'write' : 'unknown';
  if (isProven) return found;
  const paths = possiblePaths(words, use).map((one) => (isScript(words, one) ? { ...one, use: 'read' as const } : one));
  return { ...found, paths: [...found.paths, ...paths] };
}

const INTERPRETERS = /^(?:(?:ba|da|z|k)?sh|python[23]?(?:\.\d+)?|node|ruby|perl|php)$/;

/** The first word of an interpreter is a script that it reads. What the script does is covered by a rule for the interpreter. */
function isScript([name = '', first = '']: readonly string[], { at }: PathUse): boolean {
  return at === 1 && !first.startsWith('-') && INTERPRETERS.test(name);
}

function examineKnown(name: string, words: readonly string[], depth: number): Finding | undefined {
  if (ONLY_WHOLE.has(name)) return ruleOnly([{ at: words.length - 1, reason: `${name} changes how the shell works` }]);
  if (Object.hasOwn(WRAPPERS, name)) return examineWrapper(words, WRAPPERS[name] ?? {}, depth);
  const reader =
    (Object.hasOwn(SPECIAL_READERS, name) ? SPECIAL_READERS[name]?.(words) : undefined) ??
    (Object.hasOwn(EXACT_READERS, name) ? EXACT_READERS[name]?.(words) : undefined) ??
    (Object.hasOwn(SIMPLE_READERS, name) ? examineSimple(words, SIMPLE_READERS[name] ?? {}) : undefined) ??
    (Object.hasOwn(EDITORS, name) ? examineEditor(words, EDITORS[name] ?? {}) : undefined) ??
    findVersionQuery(words);
  // A form that does not only read may be covered by a rule for the program.
  return reader !== undefined && reader.problems.length > 0 && isTool(name) ? undefined : reader;
}

/** Builtins that change the meaning of later words or run their arguments: covered only by a rule for the whole command. */
const ONLY_WHOLE = new Set(
  `eval exec source . trap alias unalias set shopt mapfile readarray read declare typeset local export readonly unset let
  enable bind complete compgen compopt hash builtin coproc pushd popd dirs fc history jobs fg bg disown suspend ulimit umask
  getopts return exit logout wait times caller`.split(/\s+/),
);

function ruleOnly(problems: readonly Problem[]): Finding {
  return { reads: false, problems, paths: [] };
}

function examineSimple(words: readonly string[], reader: SimpleReader): Finding {
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
    ...(reader.confinedNever === true ? { confinedNever: true } : {}),
  };
}

function findArgumentFiles(words: readonly string[]): readonly Problem[] {
  return words.flatMap((word, at) =>
    at > 0 && word.startsWith('@') ? [{ at, reason: `${words[0]} may read more arguments from ${word}` }] : [],
  );
}

type Wrapper = {
  /** Options that don't change what is run. If undefined, the inner command is never judged separately. */
  readonly options?: OptionSpec;
  /** Number of its own words before the command. */
  readonly own?: number;
  readonly variables?: boolean;
};

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  timeout: {
    options: { flags: 'v', valued: 'ks', longs: 'foreground preserve-status verbose', longValued: 'kill-after signal' },
    own: 1,
  },
  nice: { options: { valued: 'n', longValued: 'adjustment', digits: true } },
  ionice: { options: { valued: 'cn' } },
  nohup: { options: {} },
  stdbuf: { options: { valued: 'ioe', longValued: 'input output error' } },
  time: { options: { flags: 'p' } },
  env: { options: {}, variables: true },
  xargs: {},
  sudo: {},
  doas: {},
  su: {},
  chroot: {},
  setsid: {},
  watch: {},
  parallel: {},
  flock: {},
  script: {},
  strace: {},
  ltrace: {},
  unshare: {},
  nsenter: {},
  runuser: {},
  taskset: {},
  chrt: {},
  entr: {},
  ssh: {},
  busybox: {},
  expect: {},
  tmux: {},
  screen: {},
  at: {},
  batch: {},
  gdb: {},
  bwrap: {},
};

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

function examineWrapper(words: readonly string[], wrapper: Wrapper, depth: number): Finding {
  if (depth >= DEEPEST_WRAPPING) return ruleOnly([{ at: words.length - 1, reason: 'it nests programs too deep' }]);
  const inner = wrapper.options === undefined ? undefined : findInner(words, wrapper);
  const isSure = inner !== undefined && inner < words.length;
  const at = isSure ? inner : words[1]?.startsWith('-') === false ? 1 : words.length - 1;
  // A rule that names the inner program covers only what it would cover without the wrapper.
  const own = at > 0 && at < words.length ? examineProgram(words.slice(at), false, depth + 1).problems : [];
  const problems = own.map((problem) => ({ ...problem, at: problem.at + at }));
  const found = ruleOnly([{ at, reason: `${words[0]} runs another program` }, ...problems]);
  return isSure ? { ...found, inner: at } : found;
}

function findInner(words: readonly string[], wrapper: Wrapper): number | undefined {
  let at = 1;
  while (words[at]?.startsWith('-') === true) {
    // `env -` empties the environment.
    if (words[at] === '-') return undefined;
    if (words[at] === '--') {
      at += 1;
      break;
    }
    // Read only this one option.
    const { options, problems } = readOptions(words.slice(0, at + 2), at, wrapper.options ?? {});
    if (problems.some((problem) => problem.at === at)) return undefined;
    const tookNext = options.some((option) => option.at === at + 1 && option.value === words[at + 1]);
    at += tookNext ? 2 : 1;
  }
  while (wrapper.variables === true) {
    const [, name, value] = /^(\w+)=([\s\S]*)$/.exec(words[at] ?? '') ?? [];
    if (name === undefined) break;
    if (!isHarmlessVariable(name, value)) return undefined;
    at += 1;
  }
  return at + (wrapper.own ?? 0);
}

/** Programs that exist to change files: their targets are judged, even under a rule that names them. */
const WRITERS = Object.fromEntries(
  'mkdir touch cp mv rm rmdir ln tee truncate install shred unlink chmod chown dd rsync split patch'
    .split(' ')
    .map((name) => [name, true]),
);

/** The forms that only create files and folders. */
const EDITORS: Readonly<Record<string, OptionSpec>> = {
  mkdir: { flags: 'pv', longs: 'parents verbose' },
  touch: { flags: 'acm' },
};

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

/** Anything not known to only read: a rule may cover it, with its ordinary arguments. */
function examineOther(words: readonly string[]): Finding {
  const [name = ''] = words;
  if (/^[gmn]?awk$/.test(name)) return examineAwk(words);
  return ruleOnly(findUncovered(words));
}

/** Awk runs and writes only through these words; anything else prints. */
function examineAwk(words: readonly string[]): Finding {
  const { operands, problems } = readOptions(words, 1, { stops: true, valued: 'Fv' });
  const [program] = operands;
  const isPlain = program !== undefined && !/system|getline|[|>@]|close|fflush/.test(program.value);
  const odd = isPlain
    ? []
    : [{ at: program?.at ?? words.length - 1, reason: 'this awk program may run or write something' }];
  return ruleOnly([...problems, ...odd]);
}
