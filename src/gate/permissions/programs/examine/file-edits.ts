/** The file commands that edit modes allow (GT-36): what each creates, changes, removes and reads, with proven options only. */

import { basename, dirname, join } from 'node:path';
import { type OptionSpec, type Problem, readOptions } from '../../shell/read-options.js';
import { isSafeSedScript } from './sed-script.js';

export type FileUse = {
  /** The index of the word that names it. */
  readonly at: number;
  readonly path: string;
  /** `into`: a folder that gets `names`, or the path itself if it is no folder. `mode`: only its permissions change. */
  readonly does: 'read' | 'create' | 'change' | 'remove' | 'mode' | 'into';
  readonly names?: readonly string[];
};

export type FileEdits = {
  readonly problems: readonly Problem[];
  readonly uses: readonly FileUse[];
  /** It changes git's index. */
  readonly git?: true;
};

type Operand = { readonly value: string; readonly at: number };
type Examine = (words: readonly string[]) => FileEdits;

const does =
  (use: FileUse['does']) =>
  ({ value, at }: Operand): FileUse => ({ at, path: value, does: use });

/** Each operand is used in the same way. */
function each(spec: OptionSpec, use: FileUse['does'], from = 1): Examine {
  return (words) => {
    const { operands, problems } = readOptions(words, from, spec);
    return { problems: [...problems, ...missing(words, operands, 1)], uses: operands.map(does(use)) };
  };
}

function missing(words: readonly string[], operands: readonly Operand[], least: number): readonly Problem[] {
  return operands.length < least ? [{ at: words.length - 1, reason: `${words[0]} names too few files` }] : [];
}

export const makesFolders = each({ flags: 'pv', valued: 'm', longs: 'parents verbose', longValued: 'mode' }, 'create');
export const touches = each({ flags: 'acm', valued: 'dt', longs: 'no-create', longValued: 'date time' }, 'change');
export const removes = each({ flags: 'rRfvd', longs: 'recursive force verbose dir' }, 'remove');
export const removesFolders = each({ flags: 'pv', longs: 'parents verbose' }, 'remove');
export const tees = each({ flags: 'ai', longs: 'append ignore-interrupts' }, 'change');

const COPY: OptionSpec = {
  flags: 'aRrpPdfnuv',
  valued: 't',
  longs: 'archive recursive force no-clobber update verbose no-dereference preserve',
  longValued: 'target-directory',
  longOptional: 'preserve update',
};

/** The sources, then the file or folder that gets them. */
function transfer(words: readonly string[], from: number, spec: OptionSpec, source: 'read' | 'remove'): FileEdits {
  const { operands, options, problems } = readOptions(words, from, spec);
  const named = options.find(({ name }) => name === 't' || name === 'target-directory');
  const last = named ?? operands.at(-1);
  const sources = named === undefined ? operands.slice(0, -1) : operands;
  const few = last === undefined || sources.length === 0 ? missing(words, [], 1) : [];
  if (last === undefined) return { problems: [...problems, ...few], uses: [] };
  const target: FileUse = {
    at: last.at,
    path: last.value,
    does: 'into',
    names: sources.map(({ value }) => basename(value)),
  };
  return { problems: [...problems, ...few], uses: [...sources.map(does(source)), target] };
}

export const copies: Examine = (words) => transfer(words, 1, COPY, 'read');
export const moves: Examine = (words) =>
  transfer(
    words,
    1,
    {
      flags: 'fnuv',
      valued: 't',
      longs: 'force no-clobber update verbose',
      longValued: 'target-directory',
    },
    'remove',
  );

/** A link must lead to something that could be read through it; relative ones start where the link is. */
export const links: Examine = (words) => {
  const { operands, options, problems } = readOptions(words, 1, {
    flags: 'sfnrv',
    longs: 'symbolic force no-dereference relative verbose',
  });
  const names = new Set(options.map(({ name }) => name));
  const isSymbolic = names.has('s') || names.has('symbolic');
  const [target, link, ...more] = operands;
  if (target === undefined || more.length > 0)
    return { problems: [...problems, { at: words.length - 1, reason: 'ln links to several files' }], uses: [] };
  const at = link ?? { value: basename(target.value), at: target.at };
  const isRelative = !target.value.startsWith('/') && isSymbolic && !(names.has('r') || names.has('relative'));
  const leads = isRelative ? join(dirname(at.value), target.value) : target.value;
  return {
    problems,
    uses: [
      { at: target.at, path: leads, does: 'read' },
      { at: at.at, path: at.value, does: 'into', names: [basename(target.value)] },
    ],
  };
};

/** No setuid, setgid or sticky bits. */
const PLAIN_MODE = /^(?:0?[0-7]{3}|[ugoa]*[-+=][rwxX]*(?:,[ugoa]*[-+=][rwxX]*)*)$/;

export const changesModes: Examine = (words) => {
  // `-x` and `-w` are modes, not options.
  const given = words.map((word, at) => (at > 0 && /^-[rwxX]+$/.test(word) ? `a${word}` : word));
  const { operands, problems } = readOptions(given, 1, {
    flags: 'Rvcf',
    longs: 'recursive verbose changes silent quiet',
  });
  const [mode, ...files] = operands;
  const odd =
    mode === undefined || !PLAIN_MODE.test(mode.value)
      ? [{ at: mode?.at ?? 0, reason: `chmod ${mode?.value ?? ''} may set more than plain permissions` }]
      : [];
  return { problems: [...problems, ...odd, ...missing(words, files, 1)], uses: files.map(does('mode')) };
};

/** `sed -i`: the script can only edit, and what it edits are the files that it names. */
export const editsInPlace: Examine = (words) => {
  const { operands, options, problems } = readOptions(words, 1, {
    flags: 'nErsz',
    valued: 'e',
    optional: 'i',
    longs: 'quiet silent regexp-extended separate null-data',
    longValued: 'expression',
    longOptional: 'in-place',
  });
  const given = options.filter(({ name }) => name === 'e' || name === 'expression');
  const inPlace = options.filter(({ name }) => name === 'i' || name === 'in-place');
  const scripts = given.length > 0 ? given : operands.slice(0, 1);
  const files = given.length > 0 ? operands : operands.slice(1);
  const suffix = inPlace.at(-1)?.value ?? '';
  const odd: Problem[] = [];
  if (inPlace.length === 0) odd.push({ at: 0, reason: 'sed changes nothing without -i' });
  if (/[*/]/.test(suffix)) odd.push({ at: inPlace[0]?.at ?? 0, reason: `sed writes files named after ${suffix}` });
  for (const { value, at } of scripts)
    if (!isSafeSedScript(value)) odd.push({ at, reason: 'this sed script may read, write or run something else' });
  const backups = suffix === '' ? [] : files.map(({ value, at }) => ({ value: `${value}${suffix}`, at }));
  return {
    problems: [...problems, ...odd, ...missing(words, files, 1)],
    uses: [...files, ...backups].map(does('change')),
  };
};

/** `git add`, `git mv`, `git rm`, in the shell's own folder. */
function inGit(examine: Examine): Examine {
  return (words) => {
    const isPlain = /^(?:add|stage|mv|rm)$/.test(words[1] ?? '');
    const { problems, uses } = examine(words);
    const odd = isPlain ? [] : [{ at: 1, reason: `it is unclear what git changes with ${words[1]}` }];
    return { problems: [...odd, ...problems], uses, git: true };
  };
}

export const addsToGit = inGit((words) => {
  const { operands, problems } = readOptions(words, 2, {
    flags: 'AufvnN',
    longs: 'all update verbose dry-run intent-to-add no-all',
  });
  return { problems, uses: operands.map(does('read')) };
});
export const movesInGit = inGit((words) =>
  transfer(words, 2, { flags: 'fknv', longs: 'force verbose dry-run' }, 'remove'),
);
export const removesInGit = inGit((words) => {
  const { operands, options, problems } = readOptions(words, 2, {
    flags: 'rfnq',
    longs: 'cached force dry-run quiet ignore-unmatch',
  });
  const onlyIndex = options.some(({ name }) => name === 'cached');
  return { problems, uses: operands.map(does(onlyIndex ? 'read' : 'remove')) };
});
