/**
 * The number of words of a command that make a sensible prefix rule: `npm run test`, `git commit`, `python tools/gen.py`.
 * Only listed commands get one. Shells, inline code, wrappers, and commands that delete, send or install are not listed.
 */

import { nameSet } from './programs/name-set.js';

/** Checkers, formatters and test runners: the name alone, also after a launcher. */
const TOOLS = nameSet(`
  biome black clang-format cspell eslint flake8 gofmt golangci-lint isort jest ktlint mocha mypy oxlint phpstan phpunit
  playwright prettier pylint pyright pytest rspec rubocop ruff rustfmt shellcheck shfmt stylelint swiftlint tsc tsgo vitest`);

/** NAME: a script or target of the project. SCRIPT: a file of the project. TOOL: one of the above. */
const PREFIXES: readonly (readonly string[])[] = `
  git add | git commit | git fetch | git merge | git mv | git pull
  npm test | npm start | npm ci | npm run NAME | npm run-script NAME | npx TOOL
  pnpm test | pnpm start | pnpm run NAME | pnpm exec TOOL | yarn test | yarn start | yarn run NAME | yarn TOOL
  bun test | bun run NAME | bunx TOOL | deno check | deno fmt | deno lint | deno test | deno task NAME
  cargo bench | cargo build | cargo check | cargo clippy | cargo doc | cargo fmt | cargo nextest run | cargo run | cargo test
  go build | go fmt | go generate | go mod tidy | go test | go vet
  docker build | docker compose build | docker compose logs | docker compose ps | docker images | docker inspect
  docker logs | docker ps
  kubectl describe | kubectl explain | kubectl get | kubectl logs | kubectl top
  gh issue list | gh issue view | gh pr checks | gh pr diff | gh pr list | gh pr status | gh pr view | gh repo view
  gh run list | gh run view
  terraform fmt | terraform plan | terraform validate | helm lint | helm list | helm template
  make NAME | just NAME | task NAME | rake NAME
  mvn compile | mvn package | mvn test | mvn verify | ./mvnw compile | ./mvnw package | ./mvnw test | ./mvnw verify
  gradle NAME | ./gradlew NAME | dotnet build | dotnet format | dotnet test | swift build | swift test | zig build | mix test
  bundle exec TOOL | composer test | composer validate | poetry run TOOL | uv run TOOL | uvx TOOL | pipx run TOOL
  python SCRIPT | python3 SCRIPT | python -m TOOL | python3 -m TOOL | node SCRIPT | tsx SCRIPT | ts-node SCRIPT | ruby SCRIPT
  perl SCRIPT | php SCRIPT | TOOL
`
  .split(/[|\n]/)
  .map((prefix) => prefix.split(' ').filter(Boolean))
  .filter((words) => words.length > 0);

/** The words that a prefix rule for this command would name; undefined if there is none. The words must be plain. */
export function prefixOf(words: readonly string[]): readonly string[] | undefined {
  const fitting = PREFIXES.filter(
    (prefix) => prefix.length <= words.length && prefix.every((wanted, index) => fits(wanted, words[index] ?? '')),
  );
  const longest = Math.max(0, ...fitting.map((prefix) => prefix.length));
  return longest === 0 ? undefined : words.slice(0, longest);
}

function fits(wanted: string, word: string): boolean {
  switch (wanted) {
    case 'NAME':
      return /^[A-Za-z][\w:.-]*$/.test(word);
    case 'SCRIPT':
      return /^(?:[\w@+-]|\.\/)[\w@+./-]*\.\w+$/.test(word) && !word.split('/').includes('..');
    case 'TOOL':
      return TOOLS.has(word);
    default:
      return wanted === word;
  }
}
