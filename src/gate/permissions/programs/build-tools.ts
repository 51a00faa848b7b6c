/** Compilers, build systems, linters and formatters. */

import { FREE, plainCommands, type Tool } from './tool.js';

const MAKE: Tool = {
  flags: 'BkinqsrRtwdpvh',
  optional: 'jlO',
  longs:
    'always-make keep-going ignore-errors dry-run just-print question silent quiet no-builtin-rules no-builtin-variables touch print-directory no-print-directory trace warn-undefined-variables help version',
  longOptional: 'jobs load-average output-sync debug',
  assigns: true,
};

const GO_BUILD: Tool = {
  single: true,
  longs: 'v x n a race msan asan cover trimpath json work linkshared i',
  longValued: 'p tags o covermode coverpkg',
};
const GO_TEST: Tool = {
  ...GO_BUILD,
  longs: `${GO_BUILD.longs} short failfast benchmem c fullpath`,
  longValued: `${GO_BUILD.longValued} run skip count bench benchtime timeout parallel cpu coverprofile list shuffle fuzz fuzztime cpuprofile memprofile blockprofile`,
  longOptional: 'race cover v short json',
};

const CARGO: Tool = {
  flags: 'rqv',
  valued: 'pjF',
  longs:
    'release workspace all all-targets all-features no-default-features lib bins examples tests benches doc no-run no-fail-fast keep-going locked offline frozen quiet verbose no-deps open document-private-items fix allow-dirty allow-staged check help version dev',
  longValued:
    'package exclude features bin example test bench jobs target profile color message-format edition depth format-version kind edges invert prefix',
};

const MVN: Tool = {
  single: true,
  longs:
    'B q o U e X N am amd ff fae fn V ntp nsu C c h v batch-mode quiet offline update-snapshots errors debug non-recursive also-make also-make-dependents fail-fast fail-at-end fail-never show-version no-transfer-progress DskipTests Dmaven.test.skip',
  longValued: 'T pl P threads projects',
  longOptional: 'DskipTests Dmaven.test.skip Dtest Dit.test DfailIfNoTests DskipITs Dsurefire.failIfNoSpecifiedTests',
};

const GRADLE: Tool = {
  flags: 'iqdmasSwt',
  valued: 'x',
  longs:
    'info quiet debug stacktrace full-stacktrace dry-run no-daemon daemon offline parallel no-parallel continue continuous rerun-tasks rerun build-cache no-build-cache configuration-cache no-configuration-cache refresh-dependencies version help all status stop',
  longValued: 'tests exclude-task console warning-mode max-workers',
};

const GCC: Tool = {
  flags: 'cESwv',
  valued: 'oIlL',
  optional: 'OgWDUs',
  longs: 'version help',
  argumentFiles: true,
  // `-Wl,…` and the like pass options to other programs.
  values: { s: /^td=[\w+]+$/, W: /^(?![alp],)[\w=+-]*$/ },
};

const FORMATS =
  /^(?:stylish|json|compact|unix|tap|html|junit|codeframe|visualstudio|checkstyle|jslint-xml|json-with-metadata)$/;

const DOTNET: Tool = {
  flags: 'h',
  valued: 'vcfr',
  longs: 'no-restore no-build nologo force help verify-no-changes include-generated',
  longValued: 'verbosity configuration framework runtime filter severity',
  argumentFiles: true,
  // `/p:name=value` sets what it runs.
  operand: (value) => !value.startsWith('/'),
};

export const BUILD_TOOLS: Readonly<Record<string, Tool>> = {
  make: MAKE,
  gmake: MAKE,
  ninja: { flags: 'nv', valued: 'jkl', longs: 'version verbose quiet' },
  just: { stops: true, flags: 'lnvq', longs: 'list summary dry-run verbose quiet', first: /^[^=]*$/ },
  cmake: {
    flags: 'h',
    valued: 'j',
    longs: 'verbose clean-first version help',
    longValued: 'build target config parallel',
    after: { optional: 'j', assigns: true },
  },
  ctest: {
    flags: 'VN',
    valued: 'RELj',
    longs: 'verbose output-on-failure rerun-failed stop-on-failure',
    longValued: 'tests-regex exclude-regex label-regex parallel timeout',
  },
  go: {
    stops: true,
    commands: {
      build: GO_BUILD,
      test: GO_TEST,
      vet: { single: true, longs: 'v x n json', longValued: 'tags' },
      run: { ...GO_BUILD, stops: true, first: /^(?:\.|[\w-]+\.go$)/ },
      list: { single: true, longs: 'm u json deps test e versions', longValued: 'f tags' },
      ...plainCommands('fmt doc env version', { single: true, longs: 'v x n json all u short src' }),
      mod: {
        single: true,
        commands: plainCommands('tidy download graph verify why', { single: true, longs: 'v x json m' }),
      },
      get: { single: true, longs: 'u d t v x' },
      clean: { single: true, longs: 'cache testcache n x' },
    },
  },
  'golangci-lint': {
    flags: 'hv',
    longs: 'verbose help version',
    commands: {
      run: {
        flags: 'vn',
        longs: 'fix fast fast-only new verbose tests allow-parallel-runners allow-serial-runners show-stats',
        longValued:
          'timeout concurrency new-from-rev new-from-merge-base max-issues-per-linter max-same-issues build-tags',
        longOptional: 'fix tests new show-stats',
      },
      ...plainCommands('linters version help', { longs: 'json' }),
    },
  },
  gofmt: { single: true, longs: 'l w s d e' },
  cargo: {
    stops: true,
    flags: 'qv',
    longs: 'quiet verbose locked offline frozen list version',
    commands: {
      ...plainCommands('build b check c doc d clean update tree metadata fetch add remove rm audit outdated', CARGO),
      ...plainCommands('test t run r bench nextest', { ...CARGO, after: FREE }),
      clippy: { ...CARGO, after: { valued: 'DWAF' } },
      fmt: { ...CARGO, after: { flags: 'vq', longs: 'check verbose quiet', longValued: 'edition' } },
    },
  },
  rustc: {
    flags: 'gOv',
    longs: 'version test',
    longValued: 'edition crate-type crate-name explain',
    argumentFiles: true,
  },
  gcc: GCC,
  'g++': GCC,
  cc: GCC,
  clang: GCC,
  tsc: {
    flags: 'wbvhdpf',
    longs:
      'noEmit watch build pretty strict skipLibCheck incremental listFiles listEmittedFiles traceResolution diagnostics extendedDiagnostics showConfig emitDeclarationOnly declaration sourceMap version help all force verbose dry clean noEmitOnError esModuleInterop noUnusedLocals noUnusedParameters allowJs checkJs',
    longValued: 'project target module moduleResolution outDir jsx lib types',
    argumentFiles: true,
  },
  eslint: {
    flags: 'hv',
    valued: 'f',
    longs:
      'fix fix-dry-run quiet cache no-cache color no-color debug no-error-on-unmatched-pattern report-unused-disable-directives no-warn-ignored no-ignore version help exit-on-fatal-error no-inline-config pass-on-no-patterns stats',
    longValued: 'ext max-warnings format ignore-pattern fix-type cache-strategy',
    values: { f: FORMATS, format: FORMATS },
  },
  prettier: {
    flags: 'wclu',
    longs:
      'write check list-different ignore-unknown cache no-cache no-color color single-quote no-semi no-bracket-spacing use-tabs no-error-on-unmatched-pattern version help',
    longValued:
      'log-level loglevel tab-width print-width trailing-comma end-of-line prose-wrap quote-props arrow-parens cache-strategy',
    longOptional: 'single-quote semi',
  },
  biome: {
    commands: plainCommands('check lint format ci', {
      longs: 'write fix unsafe apply apply-unsafe staged changed no-errors-on-unmatched verbose error-on-warnings',
      longValued: 'max-diagnostics diagnostic-level colors since only skip',
    }),
  },
  stylelint: { longs: 'fix quiet cache color no-color allow-empty-input', longValued: 'max-warnings' },
  ruff: {
    flags: 'qvsnehw',
    longs: 'quiet verbose silent help version',
    commands: plainCommands('check format rule clean linter', {
      flags: 'qvsnehw',
      longs:
        'fix unsafe-fixes no-unsafe-fixes diff check watch preview no-preview no-cache quiet verbose silent exit-zero exit-non-zero-on-fix show-files show-settings show-fixes statistics fix-only add-noqa force-exclude no-fix respect-gitignore',
      longValued:
        'select ignore extend-select extend-ignore extend-fixable fixable unfixable line-length target-version output-format exclude extend-exclude per-file-ignores',
    }),
  },
  mypy: {
    flags: 'vhV',
    valued: 'pm',
    longs:
      'strict ignore-missing-imports pretty no-pretty show-error-codes hide-error-codes show-error-context show-column-numbers no-incremental warn-unused-ignores warn-return-any warn-unreachable disallow-untyped-defs disallow-any-generics check-untyped-defs no-error-summary namespace-packages explicit-package-bases no-implicit-optional strict-optional verbose help version',
    longValued: 'python-version platform follow-imports exclude disable-error-code enable-error-code package module',
    argumentFiles: true,
  },
  pyright: {
    flags: 'wvh',
    longs: 'watch verbose stats warnings outputjson version help',
    longValued: 'level pythonversion pythonplatform',
  },
  black: {
    flags: 'qvShlt',
    valued: '',
    longs: 'check diff color quiet verbose fast safe skip-string-normalization preview version',
    longValued: 'line-length target-version exclude extend-exclude include',
  },
  isort: {
    flags: 'cqvd',
    valued: 'l',
    longs: 'check check-only diff quiet verbose atomic profile version',
    longValued: 'profile line-length skip',
  },
  flake8: {
    flags: 'qvh',
    longs: 'count statistics show-source quiet verbose version',
    longValued: 'select ignore extend-ignore max-line-length max-complexity exclude',
  },
  mvn: MVN,
  mvnw: MVN,
  './mvnw': MVN,
  gradle: GRADLE,
  './gradlew': GRADLE,
  dotnet: {
    commands: {
      ...plainCommands('build test restore clean publish pack format list', DOTNET),
      run: { ...DOTNET, after: FREE },
    },
  },
  swift: {
    commands: plainCommands('build test package', {
      flags: 'vq',
      valued: 'cj',
      longs: 'verbose quiet parallel skip-build',
      longValued: 'filter skip configuration product target',
    }),
  },
  mix: {
    commands: plainCommands('test format compile deps.get credo dialyzer', {
      longs: 'trace failed stale cover check-formatted warnings-as-errors',
      longValued: 'only exclude seed max-failures',
    }),
  },
  terraform: {
    single: true,
    longs: 'version help',
    commands: plainCommands('plan validate fmt show output version', {
      single: true,
      longs: 'json no-color check recursive diff list',
      longOptional: 'lock input refresh out detailed-exitcode',
    }),
  },
};
