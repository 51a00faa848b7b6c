/** git's sub-commands that read, with the options known to be harmless. */

import type { OperandTest, Reader } from '../program.js';

const has = (options: ReadonlySet<string>, names: string) => names.split(' ').some((name) => options.has(name));

/** Options that print changes, or search for them. */
const PATCH =
  'p u U W S G L c patch unified patch-with-stat word-diff word-diff-regex color-words color-moved function-context binary cc check combined-all-paths text full-index inter-hunk-context';
const NAMES = 's stat numstat shortstat summary name-only name-status raw no-patch dirstat quiet compact-summary';

const ALWAYS: OperandTest = () => true;
const IF_PATCH: OperandTest = (options) => has(options, PATCH);
const UNLESS_NAMES: OperandTest = (options) => has(options, PATCH) || !has(options, NAMES);
/** An id, or a path in a tree, may be a file's. */
const UNLESS_COMMITS: OperandTest = (options, operands) =>
  UNLESS_NAMES(options, operands) || operands.some((word) => /:|^[0-9a-f]{4,}$/i.test(word));

const DIFF = {
  flags: 'pusabwWRzrt',
  valued: 'SGl',
  optional: 'UMCB',
  longs:
    'patch no-patch raw numstat shortstat summary name-only name-status cached staged ignore-all-space ignore-space-change ignore-space-at-eol ignore-blank-lines ignore-cr-at-eol no-color no-ext-diff no-textconv no-renames full-index binary exit-code quiet minimal patience histogram merge-base check compact-summary text function-context no-prefix irreversible-delete pickaxe-all pickaxe-regex patch-with-stat indent-heuristic root cc combined-all-paths',
  longValued: 'diff-filter inter-hunk-context src-prefix dst-prefix diff-algorithm word-diff-regex',
  longOptional: 'stat unified color word-diff color-words color-moved find-renames find-copies relative dirstat abbrev',
};

const LOG = {
  flags: `${DIFF.flags}cmgiEFP`,
  valued: `${DIFF.valued}nL`,
  optional: DIFF.optional,
  longs: `${DIFF.longs} oneline graph all no-decorate abbrev-commit no-abbrev-commit reverse merges no-merges first-parent follow topo-order date-order author-date-order left-right cherry-pick cherry-mark cherry boundary full-history simplify-merges simplify-by-decoration walk-reflogs regexp-ignore-case extended-regexp fixed-strings perl-regexp all-match invert-grep no-notes relative-date parents children left-only right-only no-walk source use-mailmap no-mailmap log-size ancestry-path reflog`,
  longValued: `${DIFF.longValued} date since after until before author committer grep max-count skip exclude`,
  longOptional: `${DIFF.longOptional} pretty format decorate min-parents max-parents branches tags remotes glob`,
};

const PATTERN_ONLY_WITH_LIST = (options: ReadonlySet<string>, operands: readonly string[]) =>
  operands.length === 0 ||
  ['list', 'contains', 'no-contains', 'merged', 'no-merged', 'points-at'].some((name) => options.has(name));

export const GIT_READS: Readonly<Record<string, Reader>> = {
  status: {
    flags: 'sbvz',
    optional: 'uM',
    longs: 'short branch show-stash long verbose ahead-behind no-ahead-behind renames no-renames null',
    longOptional: 'porcelain untracked-files ignored column find-renames',
    prints: (options) => has(options, 'v verbose'),
  },
  log: { ...LOG, digits: true, prints: IF_PATCH },
  show: { ...LOG, digits: true, prints: UNLESS_COMMITS },
  whatchanged: { ...LOG, digits: true, prints: IF_PATCH },
  diff: { ...DIFF, prints: UNLESS_NAMES },
  'diff-tree': { ...DIFF, prints: IF_PATCH },
  'diff-index': { ...DIFF, prints: IF_PATCH },
  'diff-files': { ...DIFF, prints: IF_PATCH },
  'range-diff': { flags: 's', longs: 'no-color no-dual-color no-patch', longOptional: 'color', prints: ALWAYS },
  cherry: { flags: 'v', longs: 'verbose', longOptional: 'abbrev' },
  shortlog: {
    flags: 'snec',
    longs: 'summary numbered email committer all no-merges',
    longValued: 'since until format group author',
  },
  blame: {
    flags: 'wefnstlpbc',
    valued: 'L',
    optional: 'MC',
    prints: ALWAYS,
    longs: 'porcelain line-porcelain show-email show-name show-number root incremental',
    longValued: 'date since',
    longOptional: 'abbrev',
  },
  annotate: { flags: 'wefnst', valued: 'L', prints: ALWAYS },
  branch: {
    flags: 'arvi',
    longs: 'all remotes verbose list show-current ignore-case no-color',
    longValued: 'contains no-contains merged no-merged points-at sort format',
    longOptional: 'color abbrev',
    operands: PATTERN_ONLY_WITH_LIST,
  },
  tag: {
    flags: 'i',
    optional: 'n',
    longs: 'list ignore-case',
    longValued: 'contains no-contains merged no-merged points-at sort format',
    longOptional: 'color',
    operands: PATTERN_ONLY_WITH_LIST,
  },
  remote: {
    flags: 'v',
    longs: 'verbose',
    operands: (_options, operands) => operands.length === 0 || (operands[0] === 'get-url' && operands.length === 2),
  },
  stash: {
    flags: 'pu',
    longs: 'patch stat name-only name-status oneline include-untracked',
    longValued: 'format',
    longOptional: 'stat',
    operands: (_options, operands) => operands[0] === 'list' || operands[0] === 'show',
    prints: (options, operands) => operands[0] === 'show' || has(options, 'p patch'),
  },
  reflog: {
    ...LOG,
    operands: (_options, operands) => operands[0] === undefined || operands[0] === 'show' || operands[0] === 'list',
    digits: true,
    prints: IF_PATCH,
  },
  worktree: {
    flags: 'vz',
    longs: 'porcelain verbose',
    operands: (_options, operands) => operands.join(' ') === 'list',
  },
  config: {
    flags: 'l',
    longs:
      'get get-all get-regexp list local global system worktree show-origin show-scope name-only null includes no-includes',
    longValued: 'type default',
    // A name has a dot in it; a bare word is a sub-command in newer versions (`edit`).
    operands: (options, operands) => {
      if (options.has('list') || options.has('l')) return operands.length === 0;
      const asks = ['get', 'get-all', 'get-regexp'].some((name) => options.has(name));
      return asks ? operands.length <= 2 : operands.length === 1 && operands[0]?.includes('.') === true;
    },
  },
  var: { longs: '', operands: (_, operands) => operands.length === 1 },
  'symbolic-ref': { flags: 'q', longs: 'short quiet', operands: (_, operands) => operands.length === 1 },
  'rev-parse': {
    flags: 'q',
    longs:
      'abbrev-ref show-toplevel git-dir absolute-git-dir git-common-dir is-inside-work-tree is-inside-git-dir is-bare-repository verify quiet show-prefix show-cdup symbolic symbolic-full-name all branches tags remotes show-superproject-working-tree',
    longOptional: 'short abbrev-ref path-format',
  },
  'rev-list': { ...LOG, longs: `${LOG.longs} count objects`, digits: true, prints: IF_PATCH },
  'ls-files': {
    flags: 'cdmoisutvkz',
    valued: 'x',
    longs:
      'cached deleted modified others ignored stage unmerged killed exclude-standard full-name error-unmatch eol deduplicate directory',
    longValued: 'exclude',
    longOptional: 'abbrev',
  },
  'ls-tree': {
    flags: 'drtlz',
    longs: 'long name-only name-status object-only full-name full-tree',
    longValued: 'format',
    longOptional: 'abbrev',
  },
  'cat-file': { flags: 'ptse', longs: 'batch-check batch', prints: (options) => !has(options, 't s e batch-check') },
  'merge-base': { flags: 'a', longs: 'all octopus independent is-ancestor fork-point' },
  'name-rev': { longs: 'tags all name-only always' },
  describe: {
    longs: 'tags all always long exact-match contains first-parent',
    longValued: 'match exclude candidates',
    // `--dirty` and `--broken` write the index.
    longOptional: 'abbrev',
  },
  'show-ref': { flags: 'dsq', longs: 'heads tags head dereference verify quiet branches', longOptional: 'hash abbrev' },
  'for-each-ref': {
    longs: 'ignore-case',
    longValued: 'format sort count points-at merged no-merged contains no-contains',
    prints: (options) => options.has('format'),
  },
  'show-branch': { flags: 'ar', longs: 'all remotes current list topo-order' },
  'count-objects': { flags: 'vH', longs: 'verbose human-readable' },
  'check-ignore': { flags: 'qvnz', longs: 'quiet verbose non-matching no-index' },
  'check-attr': { flags: 'az', longs: 'all cached' },
  grep: {
    flags: 'aIiwvhHEGPFnlLczpWqor',
    valued: 'eABCm',
    longs:
      'text ignore-case word-regexp invert-match full-name extended-regexp basic-regexp perl-regexp fixed-strings line-number column files-with-matches name-only files-without-match count show-function function-context quiet only-matching cached untracked recursive heading break all-match and or not',
    longValued: 'max-depth context after-context before-context threads max-count',
    longOptional: 'color',
    prints: ALWAYS,
  },
  version: { longs: 'build-options', operands: 'none' },
};
