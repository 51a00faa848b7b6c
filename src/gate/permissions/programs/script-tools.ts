/** Interpreters, and runners of a project's scripts and tests. */

import { FREE, plainCommands, SCRIPT_FILE, type Tool } from './tool.js';

const NPM: Tool = {
  flags: 'sqdDESOPByfl',
  valued: 'w',
  longs:
    'silent quiet verbose if-present workspaces ws include-workspace-root ignore-scripts save save-dev save-exact save-optional save-prod no-save dry-run json long all production offline prefer-offline prefer-online legacy-peer-deps strict-peer-deps force audit no-audit fund no-fund progress no-progress color no-color yes foreground-scripts parseable package-lock-only no-package-lock watch coverage fix ci help version',
  longValued: 'workspace depth omit include only loglevel',
};

/** Words after the name of a script belong to the script. */
const SCRIPT: Tool = { stops: true, flags: 'sq', longs: 'silent if-present no-bail' };

const PNPM: Tool = {
  flags: 'rwsDEOPf',
  valued: 'F',
  longs:
    'recursive workspace-root silent if-present no-bail parallel stream frozen-lockfile no-frozen-lockfile prefer-offline offline ignore-scripts save-dev save-exact save-optional save-prod dev prod production no-optional force latest json long help version check-files immutable non-interactive',
  longValued: 'filter depth',
};

/** Common script names, which these runners accept without `run`. */
const SCRIPT_NAMES =
  'build check clean coverage dev docs e2e fix format fmt generate lint preview release serve start test typecheck types unit validate verify watch';

const PYTEST: Tool = {
  flags: 'xvqslh',
  valued: 'kmnr',
  longs:
    'exitfirst verbose quiet lf ff nf sw last-failed failed-first new-first stepwise stepwise-skip no-header no-summary collect-only co setup-show setup-only strict-markers strict-config disable-warnings disable-pytest-warnings showlocals fixtures markers cov no-cov cov-append cov-branch snapshot-update full-trace help version create-db reuse-db',
  longValued:
    'maxfail tb durations durations-min ignore ignore-glob deselect color capture log-cli-level log-level timeout reruns numprocesses show-capture junitxml junit-xml cov-fail-under verbosity ds',
  longOptional: 'cov cov-report',
  argumentFiles: true,
};

const PYTHON: Tool = {
  stops: true,
  flags: 'uBOEsSIqvb',
  valued: 'X',
  values: { X: /^(?:dev|utf8|importtime|faulthandler|tracemalloc)$/ },
  first: SCRIPT_FILE,
  longs: 'help version',
};

const SHELL: Tool = { stops: true, flags: 'eufxvn', longs: 'posix norc noprofile', first: SCRIPT_FILE };

/** Any other name would be a module to load. */
const REPORTER =
  /^(?:default|basic|verbose|dot|json|junit|tap|tap-flat|hanging-process|list|line|html|github|github-actions|summary)$/;

const TEST_RUNNER: Tool = {
  longs:
    'run watch watchAll watch-all ui coverage no-coverage silent verbose ci passWithNoTests update updateSnapshot runInBand onlyChanged changed onlyFailures only-failures bail no-bail detectOpenHandles forceExit logHeapUsage expand hideSkippedTests no-file-parallelism typecheck dangerouslyIgnoreUnhandledErrors clearCache listTests showConfig help version json debug headed',
  longValued:
    'testNamePattern testPathPattern testPathPatterns testPathIgnorePatterns maxWorkers minWorkers testTimeout shard exclude retry maxConcurrency hookTimeout grep project workers timeout repeat-each max-failures',
  longOptional:
    'watch coverage silent bail changed ci passWithNoTests run reporter reporters pool color colors sequence.shuffle',
  values: { reporter: REPORTER, reporters: REPORTER, pool: /^(?:threads|forks|vmThreads|vmForks)$/ },
};

export const SCRIPT_TOOLS: Readonly<Record<string, Tool>> = {
  npm: {
    ...NPM,
    commands: {
      ...plainCommands('run run-script test t tst start stop restart', { ...NPM, after: FREE }),
      ...plainCommands(
        'install i add ci install-test it uninstall remove rm un update up upgrade outdated ls list ll la view info show audit dedupe ddp prune rebuild pack version help fund explain why query search ping root prefix bin pkg publish diff doctor',
        NPM,
      ),
    },
  },
  pnpm: {
    ...PNPM,
    commands: {
      ...plainCommands(
        'install i add remove rm uninstall un update up outdated list ls why audit prune dedupe fetch rebuild',
        PNPM,
      ),
      ...plainCommands('run run-script', SCRIPT),
      ...plainCommands(`${SCRIPT_NAMES} t`, FREE),
    },
  },
  yarn: {
    ...PNPM,
    commands: {
      ...plainCommands('install add remove up upgrade outdated list why audit info dedupe', PNPM),
      run: SCRIPT,
      ...plainCommands(SCRIPT_NAMES, FREE),
    },
  },
  bun: {
    ...PNPM,
    stops: true,
    commands: {
      ...plainCommands('install i add a remove rm update outdated', PNPM),
      run: { ...SCRIPT, flags: 'sb', longs: 'silent bun watch hot if-present' },
      test: {
        valued: 't',
        longs: 'watch coverage bail only todo update-snapshots',
        longValued: 'timeout rerun-each test-name-pattern',
        longOptional: 'bail',
      },
    },
  },
  node: {
    stops: true,
    flags: 'cvh',
    longs:
      'test watch check enable-source-maps no-warnings trace-warnings trace-uncaught trace-deprecation test-only test-force-exit test-update-snapshots experimental-strip-types experimental-transform-types experimental-vm-modules experimental-test-coverage experimental-test-snapshots preserve-symlinks expose-gc version help',
    longValued:
      'max-old-space-size stack-trace-limit test-name-pattern test-skip-pattern test-concurrency test-timeout test-shard unhandled-rejections conditions',
    longOptional: 'test-reporter',
    values: { 'test-reporter': /^(?:spec|dot|tap|junit|lcov)$/ },
    first: SCRIPT_FILE,
    queries: /^(?:test|version|help|v|h)$/,
  },
  nodejs: { stops: true, first: SCRIPT_FILE },
  deno: {
    stops: true,
    commands: {
      ...plainCommands('fmt lint check cache info doc', { longs: 'check watch quiet json fix', flags: 'q' }),
      ...plainCommands('test bench task', {
        stops: true,
        longs: 'quiet watch fail-fast',
        longValued: 'filter',
        flags: 'q',
      }),
    },
  },
  python: PYTHON,
  python3: PYTHON,
  pypy3: PYTHON,
  ruby: { stops: true, flags: 'wcv', first: SCRIPT_FILE, queries: /^v$/ },
  perl: { stops: true, flags: 'wctT', first: SCRIPT_FILE },
  php: { stops: true, flags: 'lv', first: SCRIPT_FILE, queries: /^v$/ },
  lua: { stops: true, first: SCRIPT_FILE },
  tsx: {
    stops: true,
    commands: { watch: { stops: true, first: SCRIPT_FILE } },
    longs: 'test version help',
    first: SCRIPT_FILE,
    queries: /^(?:test|version|help)$/,
  },
  'ts-node': { stops: true, longs: 'esm transpile-only swc version help', flags: 'T', first: SCRIPT_FILE },
  bash: SHELL,
  sh: SHELL,
  dash: SHELL,
  zsh: SHELL,
  ksh: SHELL,
  pytest: PYTEST,
  'py.test': PYTEST,
  vitest: { ...TEST_RUNNER, flags: 'uwhv', valued: 't' },
  jest: { ...TEST_RUNNER, flags: 'uiwobhv', valued: 'tw' },
  mocha: {
    flags: 'bwGCR',
    valued: 'gft',
    longs: 'bail watch parallel exit recursive forbid-only forbid-pending full-trace',
    longValued: 'grep fgrep timeout jobs retries slow',
  },
  playwright: { commands: { test: { ...TEST_RUNNER, valued: 'gj', flags: 'xuh' } } },
  phpunit: {
    longs: 'testdox stop-on-failure no-coverage verbose debug colors',
    longValued: 'filter group testsuite exclude-group',
    flags: 'v',
  },
  rspec: {
    flags: 'fcwbp',
    valued: 'e',
    longs: 'fail-fast no-color color dry-run only-failures next-failure',
    longValued: 'example tag seed order',
  },
  tox: {
    flags: 'rvqp',
    valued: 'e',
    longs: 'recreate verbose quiet parallel skip-missing-interpreters',
    longValued: 'parallel',
  },
  nox: {
    flags: 'rRvl',
    valued: 'sept',
    longs: 'reuse-existing-virtualenvs no-install list verbose',
    longValued: 'sessions',
  },
};
