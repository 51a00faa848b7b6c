/** Sub-commands of git that change something, with the options covered by a rule that names git or the sub-command (GT-29). */

import type { OptionSpec } from '../shell/read-options.js';

export type GitWrite = OptionSpec & {
  /** Its words name files that it writes. */
  readonly files?: true;
  /** It contacts another repository: only those configured here. */
  readonly network?: true;
  /** Ordinary only with such a value; any other makes these options start a program. */
  readonly values?: Readonly<Record<string, RegExp>>;
  /** Operands that make it run a program or change the configuration. */
  readonly not?: RegExp;
  /** A patch defines what it changes, so a rule must name the patch, except with these options. */
  readonly patchUnless?: RegExp;
};

const STRATEGY = /^(?:ort|recursive|resolve|octopus|ours|subtree)$/;
const MERGE: GitWrite = {
  flags: 'nqv',
  valued: 'msX',
  longs:
    'no-ff ff ff-only squash no-squash no-commit commit no-edit abort continue quit quiet verbose stat no-stat signoff log no-verify allow-unrelated-histories autostash no-autostash progress no-progress',
  longValued: 'message strategy strategy-option',
  values: { s: STRATEGY, strategy: STRATEGY },
};
const FETCH: GitWrite = {
  flags: 'apqvtnfk46',
  valued: 'j',
  longs:
    'all prune prune-tags tags no-tags quiet verbose force dry-run unshallow update-shallow progress no-progress append keep multiple atomic ipv4 ipv6',
  longValued: 'depth deepen jobs shallow-since',
  network: true,
};
const PICK: GitWrite = {
  flags: 'nxq',
  valued: 'mX',
  longs: 'no-commit abort continue skip quit no-edit signoff allow-empty allow-empty-message keep-redundant-commits ff',
  longValued: 'mainline strategy-option',
};

export const GIT_WRITES: Readonly<Record<string, GitWrite>> = {
  add: {
    flags: 'AufvnN',
    longs: 'all update verbose dry-run intent-to-add force no-all refresh ignore-errors renormalize sparse',
    longValued: 'chmod',
  },
  am: {
    flags: '3qs',
    longs: 'abort continue skip quit 3way signoff keep-cr no-verify quiet',
    patchUnless: /^(?:abort|continue|skip|quit)$/,
  },
  apply: {
    flags: 'v3R',
    valued: 'pC',
    longs: 'check stat numstat summary cached index reverse reject verbose 3way recount allow-empty',
    longValued: 'whitespace exclude include',
    patchUnless: /^(?:check|stat|numstat|summary)$/,
  },
  bisect: { longs: 'no-checkout first-parent', longValued: 'term-old term-new', not: /^(?:run|view|visualize)$/ },
  branch: {
    flags: 'dDmMcCarvqfilt',
    valued: 'u',
    longs:
      'delete move copy force list all remotes verbose quiet show-current track no-track unset-upstream create-reflog ignore-case no-color',
    longValued: 'set-upstream-to sort format contains no-contains merged no-merged points-at',
    longOptional: 'track color abbrev',
  },
  checkout: {
    flags: 'fqltmd23',
    valued: 'bB',
    longs: 'force quiet track no-track detach ours theirs merge guess no-guess progress no-progress overlay no-overlay',
    longValued: 'orphan conflict',
    files: true,
  },
  'cherry-pick': PICK,
  clean: { flags: 'dfnqxX', valued: 'e', longs: 'dry-run force quiet', longValued: 'exclude', files: true },
  clone: {
    flags: 'qvn',
    valued: 'bj',
    longs: 'quiet verbose progress no-checkout single-branch no-single-branch no-tags bare sparse',
    longValued: 'depth branch jobs filter shallow-since',
    network: true,
    files: true,
  },
  commit: {
    flags: 'aqvsnoi',
    valued: 'mFC',
    longs:
      'all quiet verbose signoff no-signoff no-verify allow-empty allow-empty-message no-edit no-gpg-sign no-post-rewrite amend reset-author only include dry-run short branch no-status porcelain long null',
    longValued: 'message file trailer author date reuse-message fixup squash cleanup',
  },
  fetch: FETCH,
  'format-patch': {
    flags: 'nNksv',
    valued: 'o',
    longs: 'stdout cover-letter signoff numbered no-numbered no-stat keep-subject quiet',
    longValued: 'output-directory subject-prefix start-number',
    digits: true,
    files: true,
  },
  gc: { flags: 'q', longs: 'auto aggressive quiet no-prune force', longOptional: 'prune' },
  init: { flags: 'q', valued: 'b', longs: 'quiet bare', longValued: 'initial-branch object-format', files: true },
  'ls-remote': {
    flags: 'htq',
    longs: 'heads tags refs quiet exit-code symref get-url',
    longValued: 'sort',
    network: true,
  },
  merge: MERGE,
  mv: { flags: 'fknv', longs: 'force verbose dry-run sparse', files: true },
  notes: { flags: 'fv', valued: 'mFC', longs: 'force allow-empty stdin', longValued: 'message file', not: /^edit$/ },
  pull: {
    ...FETCH,
    flags: 'qvrnt46',
    longs: `${FETCH.longs} ${MERGE.longs} rebase no-rebase`,
    longOptional: 'rebase',
    valued: 'jX',
    values: { rebase: /^(?:true|false|merges|)$/ },
  },
  push: {
    flags: 'ufqvnd46',
    valued: 'o',
    longs:
      'set-upstream force force-with-lease force-if-includes tags follow-tags all branches prune delete dry-run quiet verbose no-verify atomic progress no-progress porcelain thin no-thin',
    longValued: 'push-option',
    longOptional: 'force-with-lease',
    network: true,
  },
  rebase: {
    flags: 'qvnfm',
    valued: 'X',
    longs:
      'abort continue skip quit autostash no-autostash autosquash no-autosquash root keep-base rebase-merges no-rebase-merges no-verify quiet verbose stat no-stat fork-point no-fork-point committer-date-is-author-date update-refs signoff merge apply no-ff force-rebase show-current-patch',
    longValued: 'onto strategy-option',
  },
  reflog: { flags: 'nqv', longs: 'all dry-run verbose', longValued: 'expire' },
  remote: { flags: 'vnpa', longs: 'verbose prune dry-run', network: true, not: /^(?:add|set-url)$/ },
  reset: { flags: 'qN', longs: 'hard soft mixed keep merge quiet no-refresh refresh intent-to-add', files: true },
  restore: {
    flags: 'SWqm23',
    valued: 's',
    longs: 'staged worktree quiet ours theirs merge ignore-unmerged overlay no-overlay progress no-progress',
    longValued: 'source conflict',
    files: true,
  },
  revert: PICK,
  rm: { flags: 'rfnq', longs: 'cached force dry-run quiet ignore-unmatch sparse', files: true },
  'sparse-checkout': { longs: 'cone no-cone stdin sparse-index no-sparse-index' },
  stash: {
    flags: 'uqkSa',
    valued: 'm',
    longs: 'include-untracked keep-index no-keep-index quiet all staged index',
    longValued: 'message',
  },
  switch: {
    flags: 'dfqtm',
    valued: 'cC',
    longs: 'detach force quiet track no-track guess no-guess discard-changes merge progress no-progress',
    longValued: 'create force-create orphan conflict',
  },
  tag: {
    flags: 'adfli',
    valued: 'mF',
    optional: 'n',
    longs: 'annotate delete force list no-sign ignore-case create-reflog',
    longValued: 'message file sort format contains no-contains points-at merged no-merged cleanup',
  },
  worktree: {
    flags: 'fdvnqz',
    valued: 'bB',
    longs: 'force detach checkout no-checkout lock track no-track guess-remote porcelain verbose dry-run',
    longValued: 'reason expire',
    files: true,
  },
};
