/** Examines one plain command: what it is known to do, and which words a rule for the bare program can't cover. */

import { examineGit } from './examine-git.js';
import type { Finding, PathUse } from './finding.js';
import { type OptionSpec, type Problem, readOptions } from './read-options.js';
import { SIMPLE_READERS, type SimpleReader } from './simple-readers.js';
import { SPECIAL_READERS } from './special-readers.js';
import { findVersionQuery } from './version-queries.js';
import { isShell } from './wrappers.js';

export function examineProgram(given: readonly string[], ownWorktree: boolean): Finding {
  const [written = '', ...rest] = given;
  const name = /^\/(?:usr\/)?bin\/[^/]+$/.test(written) ? written.slice(written.lastIndexOf('/') + 1) : written;
  const words = [name, ...rest];
  if (ONLY_WHOLE.has(name)) return ruleOnly([{ at: words.length - 1, reason: `${name} changes how the shell works` }]);
  if (name === 'git') return examineGit(words, ownWorktree);
  if (Object.hasOwn(WRAPPERS, name)) return examineWrapper(words, WRAPPERS[name] ?? {});
  const special = Object.hasOwn(SPECIAL_READERS, name) ? SPECIAL_READERS[name] : undefined;
  if (special !== undefined) return special(words);
  const simple = Object.hasOwn(SIMPLE_READERS, name) ? SIMPLE_READERS[name] : undefined;
  if (simple !== undefined) return examineSimple(words, simple);
  if (Object.hasOwn(WRITERS, name)) return examineWriter(words, WRITERS[name] ?? 'any');
  return findVersionQuery(words) ?? examineOther(words);
}

/** Builtins that change what later words mean or run their arguments: covered only by a rule for the whole command. */
const ONLY_WHOLE = new Set(
  `eval exec source . trap alias unalias set shopt mapfile readarray read declare typeset local export readonly unset let
  enable bind complete compgen compopt hash builtin coproc pushd popd dirs fc history jobs fg bg disown suspend ulimit umask
  getopts return exit logout wait times caller`.split(/\s+/),
);

function ruleOnly(problems: readonly Problem[]): Finding {
  return { reads: false, problems, paths: [] };
}

function examineSimple(words: readonly string[], reader: SimpleReader): Finding {
  const { operands, problems } = readOptions(words, 1, reader);
  const most = reader.operands === 'none' ? 0 : (reader.mostOperands ?? Number.POSITIVE_INFINITY);
  const extra = operands
    .slice(most)
    .map(({ at }): Problem => ({ at, reason: `${words[0]} may do more with this word than read it` }));
  const isFiles = (reader.operands ?? 'files') === 'files';
  const paths = isFiles ? operands.filter(({ value }) => value !== '-') : [];
  return {
    reads: true,
    problems: [...problems, ...extra],
    paths: paths.map(({ value, at }): PathUse => ({ at, path: value, use: 'read' })),
  };
}

type Wrapper = {
  /** Options that don't change what is run. If undefined, the inner command is never judged by itself. */
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

/** Variables that change neither which program runs nor what it reads. */
export function isHarmlessVariable(name: string, value: string | undefined): boolean {
  return HARMLESS_VARIABLES.has(name) && value !== undefined && /^[\w.,:@+-]*$/.test(value);
}

const HARMLESS_VARIABLES = new Set(
  'CI NODE_ENV NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE LANG LC_ALL LC_CTYPE LC_COLLATE RUST_BACKTRACE COLUMNS LINES TERM'.split(
    ' ',
  ),
);

function examineWrapper(words: readonly string[], wrapper: Wrapper): Finding {
  const inner = wrapper.options === undefined ? undefined : findInner(words, wrapper);
  if (inner !== undefined && inner < words.length)
    return { ...ruleOnly([{ at: inner, reason: `${words[0]} runs another program` }]), inner };
  const at = words[1]?.startsWith('-') === false ? 1 : words.length - 1;
  return ruleOnly([{ at, reason: `${words[0]} runs another program` }]);
}

function findInner(words: readonly string[], wrapper: Wrapper): number | undefined {
  let at = 1;
  while (words[at]?.startsWith('-') === true) {
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
const WRITERS: Readonly<Record<string, OptionSpec | 'any'>> = {
  mkdir: { flags: 'pv', longs: 'parents verbose' },
  touch: { flags: 'acm' },
  cp: 'any',
  mv: 'any',
  rm: 'any',
  rmdir: 'any',
  ln: 'any',
  tee: 'any',
  truncate: 'any',
  install: 'any',
  shred: 'any',
  unlink: 'any',
  chmod: 'any',
  chown: 'any',
  dd: 'any',
  rsync: 'any',
};

function examineWriter(words: readonly string[], spec: OptionSpec | 'any'): Finding {
  const exact = spec === 'any' ? undefined : readOptions(words, 1, spec);
  const edits = exact !== undefined && exact.problems.length === 0 && exact.operands.length > 0;
  const paths = words.flatMap((word, at): PathUse[] => {
    if (at === 0) return [];
    const value = /^(?:if|of)=(.+)$/.exec(word)?.[1] ?? (/^--?[\w-]+=(.+)$/.exec(word)?.[1] || word);
    // The mode in `chmod +x f` and the owner in `chown a:b f` are not paths; treating them as such is harmless.
    return value.startsWith('-') ? [] : [{ at, path: value, use: 'write' }];
  });
  return { reads: false, edits, problems: [], paths };
}

/** Options that make a program run another one, under names that many programs share. */
const RUNS_ANOTHER =
  /^--?(?:[a-z-]*-)?(?:exec|exec-batch|execdir|pager|editor|script-shell|shell|rsh|pre|upload-pack|receive-pack|hostname-bin|to-command|rsh-command|rmt-command|checkpoint-action|html|info-script|new-volume-script|node-options)(?:=|$)/;
/** Abbreviations of the long ones count too. */
const RUNS_ANOTHER_LONG = [
  'use-compress-program',
  'compress-program',
  'checkpoint-action',
  'to-command',
  'new-volume-script',
  'script-shell',
  'html',
  'pager',
];

function examineOther(words: readonly string[]): Finding {
  const [name = ''] = words;
  const problems: Problem[] = [];
  words.forEach((word, at) => {
    if (at > 0 && runsAnother(name, word, at))
      problems.push({ at, reason: `${name} may run another program with ${word}` });
  });
  if (isShell(name) && words.slice(1).some((word) => /^-[a-z]*c/.test(word)))
    problems.push({ at: words.length - 1, reason: `${name} -c runs a command line of its own` });
  return ruleOnly(problems);
}

function runsAnother(name: string, word: string, at: number): boolean {
  if (RUNS_ANOTHER.test(word)) return true;
  const long = /^--([a-z-]{3,})(?:=|$)/.exec(word)?.[1];
  if (long !== undefined && RUNS_ANOTHER_LONG.some((option) => option.startsWith(long))) return true;
  switch (name) {
    case 'tar':
    case 'bsdtar':
      return /^-[A-Za-z]*[IF]/.test(word) || (at === 1 && /^[A-Za-z]*[IF]/.test(word));
    case 'man':
      return /^-[PHC]/.test(word);
    case 'less':
    case 'more':
      return /^[-+]/.test(word);
    case 'awk':
    case 'gawk':
    case 'mawk':
    case 'nawk':
      return /system|getline|[|>@]|close|fflush/.test(word) || /^-[fieElW]|^--/.test(word);
    case 'zip':
      return /^-[A-Za-z]*T/.test(word);
    case 'vim':
    case 'vi':
    case 'nvim':
    case 'ed':
    case 'emacs':
      return /^[-+]/.test(word);
    default:
      return false;
  }
}
