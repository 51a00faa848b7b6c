/**
 * Harmless queries to development tools: their version, what is installed, what is running. Most tools start a version
 * that the project names, or read project files that run code: those run only in the read-only sandbox of a trusted folder.
 */

import type { Finding } from '../shell/finding.js';

/** One program, no project file: proven anywhere. */
const PLAIN_TOOLS = new Set(
  `node python python3 perl gcc g++ cc c++ clang cmake ninja java curl wget jq rg fd sqlite3 psql mysql redis-cli ffmpeg bash zsh dash tmux
  vim nvim gh docker podman kubectl tar gzip zip unzip openssl ssh-keygen`.split(/\s+/),
);
const PLAIN_QUERY: Readonly<Record<string, readonly string[]>> = {
  java: ['-version', '--version'],
  node: ['--version', '-v'],
  perl: ['--version', '-v'],
  python: ['--version', '-V'],
  python3: ['--version', '-V'],
};

/** A version manager, a wrapper or a project's configuration may be behind their name. */
const PROJECT_TOOLS = new Set(
  `make gmake npm npx yarn pnpm bun deno tsc python2 pip pip3 pipx uv poetry ruby gem bundle rake php composer cargo rustc rustup
  rustfmt go gofmt javac mvn gradle kotlin scala sbt dotnet swift terraform ansible helm prettier eslint biome vitest jest
  ruff black mypy pytest tox nox pyright mocha webpack vite rollup esbuild turbo nx ./gradlew ./mvnw flutter dart elixir mix
  ghc stack cabal zig`.split(/\s+/),
);

/** Their queries, with options that only narrow them. With `more`, further plain words narrow them too. */
type Query = { readonly words: string; readonly options?: RegExp; readonly more?: true };

const NPM_OPTION =
  /^(?:-g|--global|--all|-a|--json|--long|-l|--depth=\d+|--parseable|-p|--omit=\w+|--include=\w+|--workspaces|-ws)$/;
const CARGO_OPTION =
  /^(?:--offline|--locked|--frozen|--no-deps|--workspace|--all-features|--no-default-features|-q|--quiet|--prefix=?\w+|--depth=\d+|-d|-i|-e|normal|--edges=[\w,]+|--format-version=1|--invert=[\w-]+|-p|--duplicates)$/;
const GO_LIST_OPTION = /^-(?:m|u|json|deps|test|e|versions)$/;
const PIP_OPTION = /^--(?:outdated|format=(?:json|columns|freeze)|not-required|user|local|verbose|files|all)$/;

const PROJECT_QUERIES: Readonly<Record<string, readonly Query[]>> = {
  npm: [
    ...['ls', 'list', 'll', 'explain', 'why'].map((words): Query => ({ words, options: NPM_OPTION, more: true })),
    ...['root', 'prefix', 'bin'].map((words): Query => ({ words, options: NPM_OPTION })),
    { words: 'pkg get', more: true },
    { words: 'run' },
    { words: 'run --list' },
    { words: 'run-script' },
  ],
  pnpm: ['ls', 'list', 'root', 'why', 'run'].map((words) => ({
    words,
    options: NPM_OPTION,
    ...(words === 'run' ? {} : { more: true }),
  })),
  yarn: [
    { words: 'list', options: NPM_OPTION },
    { words: 'why', more: true },
  ],
  pip: ['list', 'show', 'freeze', 'check'].map((words) => ({ words, options: PIP_OPTION, more: true })),
  pip3: ['list', 'show', 'freeze', 'check'].map((words) => ({ words, options: PIP_OPTION, more: true })),
  go: [
    { words: 'version' },
    { words: 'env', options: /^-json$/, more: true },
    { words: 'list', options: GO_LIST_OPTION, more: true },
    { words: 'doc', options: /^-(?:all|short|u|src)$/, more: true },
    { words: 'mod graph' },
    { words: 'mod why', options: /^-m$/, more: true },
  ],
  rustup: [{ words: 'show' }, { words: 'toolchain list' }, { words: 'target list', options: /^--installed$/ }],
  cargo: [
    { words: 'version' },
    { words: '--list' },
    { words: 'tree', options: CARGO_OPTION, more: true },
    { words: 'metadata', options: CARGO_OPTION },
    { words: 'pkgid' },
    { words: 'locate-project' },
  ],
  dotnet: [{ words: '--info' }, { words: '--list-sdks' }, { words: '--list-runtimes' }],
  composer: [{ words: 'show', more: true }],
  gem: [{ words: 'list', more: true }],
};

/** About what is running on the machine: the sandbox would change the output. */
const MACHINE_OPTION = /^(?:-a|-q|-aq|-qa|--all|--quiet|--no-trunc|--client|--tail=\d+|-n|\d+)$/;
const MACHINE_QUERIES: Readonly<Record<string, readonly Query[]>> = {
  docker: [
    ...['ps', 'images', 'volume ls', 'network ls', 'container ls', 'image ls'].map((words) => ({
      words,
      options: MACHINE_OPTION,
    })),
    { words: 'version' },
    { words: 'info' },
    { words: 'logs', options: MACHINE_OPTION, more: true },
  ],
  podman: ['ps', 'images', 'version', 'info'].map((words) => ({ words, options: MACHINE_OPTION })),
  kubectl: [{ words: 'version --client' }],
};

export function findVersionQuery(words: readonly string[]): Finding | undefined {
  const [name, ...args] = words;
  if (name === undefined) return undefined;
  const asked = args.join(' ');
  if (PLAIN_TOOLS.has(name) && args.length === 1 && (PLAIN_QUERY[name] ?? ['--version']).includes(asked)) return PROVEN;
  const isVersion = /^(?:--version|-V|--help)$/.test(asked) || (asked === '-v' && /^(?:npm|pnpm|yarn)$/.test(name));
  if (PROJECT_TOOLS.has(name) && isVersion) return PROJECT;
  if (isQuery(PROJECT_QUERIES, name, args)) return PROJECT;
  return isQuery(MACHINE_QUERIES, name, args) ? MACHINE : undefined;
}

function isQuery(table: Readonly<Record<string, readonly Query[]>>, name: string, args: readonly string[]): boolean {
  const queries = Object.hasOwn(table, name) ? (table[name] ?? []) : [];
  return queries.some((query) => {
    const wanted = query.words.split(' ');
    if (!wanted.every((word, index) => word === args[index])) return false;
    return args
      .slice(wanted.length)
      .every((arg) => query.options?.test(arg) === true || (query.more === true && /^[\w@./:][\w@./:-]*$/.test(arg)));
  });
}

const PROVEN: Finding = { reads: true, problems: [], paths: [] };
const PROJECT: Finding = { ...PROVEN, project: true, confinedOnly: true };
const MACHINE: Finding = { ...PROVEN, confinedNever: true };
