/** git, with its own commands: any other may be an alias or a plugin. */

import { addsToGit, movesInGit, removesInGit } from '../examine/file-edits.js';
import { findGitDestroys } from '../examine/git-destroys.js';
import { each } from '../make-rows.js';
import type { Program, Risk } from '../program.js';
import { GIT_READS } from './git-reads.js';

const RUNS = 'runs another program';
const REPOSITORY = 'runs a program that the repository names';
const CONFIGURES = "changes git's configuration";
const ELSEWHERE = 'names another repository than the ones set up here';

/** Options that start what the repository's configuration names. */
const SHOWN: readonly Risk[] = [
  { names: 'show-signature textconv ext-diff', does: REPOSITORY },
  { words: /%G/, does: REPOSITORY },
];
const TRANSPORT: readonly Risk[] = [
  { names: 'upload-pack receive-pack exec', does: RUNS },
  { first: /^(?!\w[\w.-]*$)/, does: ELSEWHERE },
  { words: /::/, does: 'names a transport program' },
  { words: /:\/\/|^[^/\s]+@[^/\s]+:/, does: ELSEWHERE },
];
const STRATEGY: Risk = {
  letters: 's',
  names: 'strategy',
  unless: /^(?:ort|recursive|resolve|octopus|ours|subtree)$/,
  does: RUNS,
};
const ALWAYS = (does: string): Program => ({ risks: [{ always: true, does }] });
const MESSAGE = 'm message F file C c reuse-message reedit-message trailer author date';

const readers = Object.fromEntries(
  Object.entries(GIT_READS).map(([name, reads]): [string, Program] => [
    name,
    { reads, risks: SHOWN, texts: 'S G grep author committer' },
  ]),
);

/** Those that change something. A command that also reads has both. */
const WRITERS: Readonly<Record<string, Program>> = {
  add: { edits: addsToGit, creates: { flags: 'AufvnN', longs: 'all update verbose dry-run intent-to-add no-all' } },
  am: { writes: '=', risks: [{ names: 'directory', does: 'works in another folder' }] },
  apply: {
    writes: '=',
    valued: 'pC',
    risks: [{ names: 'directory unsafe-paths', does: 'works in another folder' }],
    longs: 'unidiff-zero',
  },
  archive: {
    writes: 'o output',
    valued: 'o',
    risks: [
      { names: 'remote exec', does: 'reaches another repository' },
      { names: 'add-file', does: 'reads other files' },
    ],
  },
  bisect: { risks: [{ names: '=run =view =visualize', does: RUNS }] },
  branch: {
    valued: 'u',
    risks: [
      { names: 'edit-description', does: 'starts an editor' },
      { letters: 'mu', names: 'move set-upstream-to unset-upstream', does: CONFIGURES },
    ],
  },
  bundle: { writes: '=' },
  checkout: { writes: '=', valued: 'bB' },
  'checkout-index': { writes: '= prefix' },
  'cherry-pick': {
    valued: 'mX',
    risks: [{ names: 'strategy', unless: STRATEGY.unless ?? /^/, does: RUNS }],
    longs: 'strategy-option',
  },
  clean: { writes: '=', valued: 'e', risks: [{ letters: 'i', names: 'interactive', does: 'waits for answers' }] },
  clone: {
    writes: '=',
    valued: 'bjocu',
    risks: [
      { letters: 'u', names: 'upload-pack', does: RUNS },
      { letters: 'c', names: 'config template', does: CONFIGURES },
      { first: /^/, does: 'fetches from an address that is not set up here' },
    ],
  },
  commit: {
    texts: MESSAGE,
    valued: 'mFCct',
    creates: {
      flags: 'aqvsn',
      valued: 'm',
      longs: 'all quiet verbose signoff no-verify allow-empty no-edit no-gpg-sign no-post-rewrite amend',
      longValued: 'message trailer author date',
    },
  },
  config: {
    risks: [
      {
        letters: 'e',
        names:
          'add unset unset-all replace-all rename-section remove-section edit =set =unset =edit =rename-section =remove-section',
        does: CONFIGURES,
      },
      { letters: 'f', names: 'file blob global system', does: 'uses settings outside the repository' },
      { mostOperands: 1, does: CONFIGURES },
    ],
  },
  difftool: ALWAYS(RUNS),
  mergetool: ALWAYS(RUNS),
  fetch: { risks: TRANSPORT, valued: 'j', longs: 'update-shallow' },
  'ls-remote': { risks: TRANSPORT, longs: 'exit-code' },
  pull: { risks: [...TRANSPORT, STRATEGY], valued: 'jX' },
  push: {
    risks: [...TRANSPORT.filter(({ names }) => names === undefined), { names: 'receive-pack exec repo', does: RUNS }],
    valued: 'o',
    longs: 'recurse-submodules',
  },
  'format-patch': { writes: '= o output-directory', valued: 'o' },
  gc: {},
  init: ALWAYS('makes a repository with a configuration of its own'),
  merge: { texts: 'm message F file', valued: 'mFX', risks: [STRATEGY], longs: 'strategy-option stat' },
  mv: { edits: movesInGit, writes: '=' },
  notes: { texts: 'm message F file', risks: [{ names: '=edit', does: 'starts an editor' }] },
  rebase: {
    valued: 'X',
    risks: [{ letters: 'x', names: 'exec', does: RUNS }, STRATEGY],
    longs: 'strategy-option stat skip signoff',
  },
  remote: { risks: [{ names: '=add =set-url =rename =remove =rm =set-branches =set-head', does: CONFIGURES }] },
  reset: { writes: '=' },
  restore: { writes: '=', valued: 's' },
  revert: {
    texts: 'm',
    valued: 'mX',
    risks: [{ names: 'strategy', unless: STRATEGY.unless ?? /^/, does: RUNS }],
    longs: 'strategy-option',
  },
  rm: { edits: removesInGit, writes: '=' },
  stash: { texts: 'm message' },
  submodule: {
    risks: [
      {
        names: '=foreach =add =update =set-url =set-branch =sync =init =absorbgitdirs',
        does: 'runs or fetches something else',
      },
    ],
  },
  switch: { valued: 'cC' },
  tag: { texts: 'm message F file', risks: [{ letters: 'v', names: 'verify', does: REPOSITORY }] },
  worktree: { writes: '=', valued: 'bB', texts: 'reason' },
  grep: {
    valued: 'eABCmf',
    risks: [
      { letters: 'O', names: 'open-files-in-pager', does: RUNS },
      { names: 'textconv', does: REPOSITORY },
      { letters: 'f', does: 'reads its patterns from a file' },
    ],
  },
  diff: { writes: 'output', risks: SHOWN },
  'cat-file': { risks: [{ names: 'filters textconv', does: REPOSITORY }] },
  'diff-files': { risks: SHOWN, writes: 'output' },
  'rev-list': { risks: SHOWN, writes: 'output' },
  log: { risks: SHOWN, writes: 'output', texts: 'S G grep author committer' },
  show: { risks: SHOWN, writes: 'output' },
  ...each(
    'reflog update-index write-tree commit-tree read-tree hash-object mktree mktag unpack-objects pack-objects pack-refs',
    {},
  ),
  ...each(
    'prune repack fsck verify-pack verify-commit verify-tag sparse-checkout rerere replace bugreport diagnose help',
    {},
  ),
  ...each('merge-tree merge-file fmt-merge-msg stripspace column check-mailmap check-ref-format', {}),
  ...each('get-tar-commit-id interpret-trailers mailinfo mailsplit patch-id request-pull show-index unpack-file', {}),
  ...each('fast-export quiltimport update-ref update-server-info prune-packed commit-graph multi-pack-index', {}),
  ...each(
    'filter-branch filter-repo fast-import maintenance hook merge-index',
    ALWAYS('rewrites history or runs other programs'),
  ),
  ...each(
    'send-email imap-send http-push http-fetch send-pack fetch-pack credential credential-cache credential-store',
    ALWAYS('sends to somewhere else'),
  ),
  ...each(
    'instaweb daemon gui gitk citool web--browse shell upload-pack receive-pack upload-archive http-backend svn p4 cvsserver',
    ALWAYS(RUNS),
  ),
  ...each('lfs subtree', ALWAYS('is a plugin that may run other programs')),
};

const names = [...new Set([...Object.keys(readers), ...Object.keys(WRITERS)])];

export const GIT: Readonly<Record<string, Program>> = {
  git: {
    valued: 'Cc',
    longValued: 'git-dir work-tree namespace config-env super-prefix attr-source',
    risks: [
      { letters: 'c', names: 'config-env', does: CONFIGURES },
      { words: /^--exec-path=/, does: RUNS },
      { letters: 'p', names: 'paginate', does: 'starts a pager' },
      { names: 'git-dir work-tree namespace super-prefix attr-source', does: 'works in another repository' },
    ],
    commands: Object.fromEntries(names.map((name) => [name, { ...readers[name], ...WRITERS[name] }])),
    prefixes: ['add', 'commit', 'fetch', 'merge', 'mv', 'pull'],
    destroys: findGitDestroys,
  },
};
