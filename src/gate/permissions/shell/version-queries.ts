/** Harmless queries to development tools: their version, what is installed, what runs. */

import type { Finding } from './finding.js';

/** These may start a version of themselves that the project names. */
const PROJECT_TOOLS = new Set(
  `node npm npx yarn pnpm bun deno tsc python python2 python3 pip pip3 uv poetry ruby gem bundle rake perl php composer
  cargo rustc rustup rustfmt go gofmt java javac mvn gradle kotlin scala sbt dotnet swift terraform ansible helm
  prettier eslint biome vitest jest ruff black mypy pytest`.split(/\s+/),
);
const SYSTEM_TOOLS = new Set(
  `clang gcc g++ cc c++ make cmake ninja docker podman kubectl git gh rg fd jq curl wget bash zsh sh vim nvim tmux psql
  sqlite3 mysql redis-cli ffmpeg`.split(/\s+/),
);
/** Exactly these arguments, or these followed by plain words that are not options. */
const QUERIES: Readonly<Record<string, readonly string[]>> = {
  npm: [
    'ls',
    'list',
    'root',
    'prefix',
    'bin',
    'ls --depth=0',
    'ls -g',
    'ls -g --depth=0',
    'ls --all',
    'run',
    'run --list',
  ],
  pnpm: ['ls', 'list', 'root'],
  yarn: ['list'],
  pip: ['list', 'show', 'freeze'],
  pip3: ['list', 'show', 'freeze'],
  go: ['version', 'env'],
  rustup: ['toolchain list', 'target list'],
  cargo: ['version', '--list'],
  docker: [
    'ps',
    'ps -a',
    'ps -q',
    'ps -aq',
    'images',
    'images -a',
    'images -q',
    'version',
    'info',
    'volume ls',
    'network ls',
    'container ls',
    'image ls',
    'logs',
  ],
  podman: ['ps', 'ps -a', 'images', 'version', 'info'],
  kubectl: ['version --client'],
  java: ['-version'],
  dotnet: ['--info', '--list-sdks'],
};
/** Queries for which further words would do more than narrow the question. */
const NO_MORE_WORDS = new Set([
  'run',
  'run --list',
  '--list',
  'version',
  '--info',
  '--list-sdks',
  'version --client',
  '-version',
]);

export function findVersionQuery(words: readonly string[]): Finding | undefined {
  const [name, ...args] = words;
  if (name === undefined) return undefined;
  const asked = args.join(' ');
  if (SYSTEM_TOOLS.has(name) && asked === '--version') return { reads: true, problems: [], paths: [] };
  const short = asked === '-V' || (asked === '-v' && /^(?:node|npm|pnpm|yarn)$/.test(name));
  if (PROJECT_TOOLS.has(name) && (asked === '--version' || short)) return proven;
  const queries = QUERIES[name] ?? [];
  if (queries.includes(asked)) return proven;
  const narrowed = queries.some(
    (query) =>
      !NO_MORE_WORDS.has(query) &&
      asked.startsWith(`${query} `) &&
      args.slice(query.split(' ').length).every((arg) => /^[\w@./:]+[\w@./:-]*$/.test(arg)),
  );
  return narrowed ? proven : undefined;
}

const proven: Finding = { reads: true, problems: [], paths: [], project: true };
