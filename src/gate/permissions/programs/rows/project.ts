/** Build and test tools, linters and formatters: what the project configures decides what they run. */

import { each } from '../make-rows.js';
import type { Program } from '../program.js';

const ASKED = { words: ['--version', '-V', '--help'], where: 'trusted' } as const;
const PROJECT: Program = { runs: 'project', versions: ASKED };
/** Checkers, formatters and test runners: their name alone is a rule, also after a launcher. */
const TOOL: Program = { ...PROJECT, prefixes: [''] };
/** Their words may name a command. */
const LAUNCHER: Program = { ...PROJECT, launches: true };

const CARGO_OPTION =
  /^(?:--offline|--locked|--frozen|--no-deps|--workspace|--all-features|--no-default-features|-q|--quiet|--prefix=?\w+|--depth=\d+|-d|-i|-e|normal|--edges=[\w,]+|--format-version=1|--invert=[\w-]+|-p|--duplicates)$/;

const MAVEN: Program = { ...PROJECT, prefixes: ['compile', 'package', 'test', 'verify'] };

export const PROJECT_TOOLS: Readonly<Record<string, Program>> = {
  ...each(
    `biome black clang-format cspell eslint flake8 gofmt golangci-lint isort jest ktlint mocha mypy oxlint phpstan phpunit
    playwright prettier pylint pyright pytest py.test rspec rubocop ruff rustfmt shellcheck shfmt stylelint swiftlint tsc tsgo vitest`,
    TOOL,
  ),
  ...each(
    `ava tap c8 nyc cypress webpack vite rollup esbuild turbo nx lerna parcel gulp grunt storybook next nuxt astro tsup swc babel
    husky lint-staged lefthook pre-commit commitlint semantic-release changeset knip depcheck ctest meson bazel buck2 pants scons
    ant sbt stack cabal tox nox hatch pdm pip-compile sphinx-build mkdocs bandit coverage behave robot flutter rebar3
    elm purs spago dub nimble shards lein boot ansible ansible-playbook molecule packer pulumi cdk serverless sam skaffold tilt
    javac kotlinc scalac rustc pod xcodebuild fastlane tsd concurrently`,
    PROJECT,
  ),
  ...each('make gmake', { ...LAUNCHER, prefixes: ['NAME'] }),
  ...each('just task rake', { ...LAUNCHER, prefixes: ['NAME'] }),
  ...each('nodemon onchange dotenv direnv mise asdf pipenv with-contenv nix-shell nix', LAUNCHER),
  ...each('cmake ninja', { runs: 'project', versions: { words: ['--version'], where: 'anywhere' } }),
  ...each('mvn mvnw ./mvnw', MAVEN),
  ...each('gradle ./gradlew gradlew', { ...PROJECT, prefixes: ['NAME'] }),
  go: {
    ...PROJECT,
    prefixes: ['build', 'fmt', 'generate', 'mod tidy', 'test', 'vet'],
    queries: [
      { words: 'version' },
      { words: 'env', options: /^-json$/, more: true },
      { words: 'list', options: /^-(?:m|u|json|deps|test|e|versions)$/, more: true },
      { words: 'doc', options: /^-(?:all|short|u|src)$/, more: true },
      { words: 'mod graph' },
      { words: 'mod why', options: /^-m$/, more: true },
    ],
  },
  cargo: {
    ...PROJECT,
    prefixes: ['bench', 'build', 'check', 'clippy', 'doc', 'fmt', 'nextest run', 'run', 'test'],
    queries: [
      { words: 'version' },
      { words: '--list' },
      { words: 'tree', options: CARGO_OPTION, more: true },
      { words: 'metadata', options: CARGO_OPTION },
      { words: 'pkgid' },
      { words: 'locate-project' },
    ],
  },
  rustup: {
    ...PROJECT,
    queries: [{ words: 'show' }, { words: 'toolchain list' }, { words: 'target list', options: /^--installed$/ }],
  },
  dotnet: {
    ...PROJECT,
    prefixes: ['build', 'format', 'test'],
    queries: [{ words: '--info' }, { words: '--list-sdks' }, { words: '--list-runtimes' }],
  },
  swift: { ...PROJECT, prefixes: ['build', 'test'] },
  zig: { ...PROJECT, prefixes: ['build'] },
  mix: { ...PROJECT, prefixes: ['test'] },
  bundle: { ...LAUNCHER, prefixes: ['exec TOOL'] },
  composer: { ...PROJECT, prefixes: ['test', 'validate'], queries: [{ words: 'show', more: true }] },
  gem: { ...PROJECT, queries: [{ words: 'list', more: true }] },
  terraform: { ...PROJECT, prefixes: ['fmt', 'plan', 'validate'] },
  tofu: PROJECT,
  ...each('gcc g++ cc c++ clang clang++', {
    versions: { words: ['--version'], where: 'anywhere' },
    valued: 'oIlLD',
    writes: 'o',
    risks: [
      {
        words: /^-(?:wrapper|fplugin|specs|-specs|B|Xclang|fpass-plugin|load|fuse-ld|Wl,.*(?:-plugin|-dynamic-linker))/,
        does: 'runs another program or loads code',
      },
      { words: /^@/, does: 'takes its arguments from a file' },
    ],
  }),
};
