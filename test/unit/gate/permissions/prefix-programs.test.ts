/** Which commands get a prefix rule offered, and how many words of them it names. */

import { describe, expect, it } from 'vitest';
import { prefixOf } from '../../../../src/gate/permissions/prefix-programs.js';
import { suggestRules } from '../../../../src/gate/permissions/suggest-rules.js';

const prefix = (line: string) => prefixOf(line.split(' '))?.join(' ');

describe('GT-11 prefixes', () => {
  it.each([
    ['npm run test:unit -- --watch', 'npm run test:unit'],
    ['npm test -- x', 'npm test'],
    ['git commit -m x', 'git commit'],
    ['cargo test --lib', 'cargo test'],
    ['cargo nextest run -p x', 'cargo nextest run'],
    ['go mod tidy', 'go mod tidy'],
    ['go test ./...', 'go test'],
    ['docker compose logs -f web', 'docker compose logs'],
    ['kubectl get pods -A', 'kubectl get'],
    ['make lint', 'make lint'],
    ['python3 tools/gen.py --all', 'python3 tools/gen.py'],
    ['node ./scripts/build.mjs', 'node ./scripts/build.mjs'],
    ['python -m pytest -q', 'python -m pytest'],
    ['npx vitest run a.test.ts', 'npx vitest'],
    ['tsc --noEmit', 'tsc'],
  ])('GT-11: %s → %s', (line, wanted) => expect(prefix(line)).toBe(wanted));

  it.each(
    `rm -rf x|curl http://x|wget x|sudo npm test|env npm test|xargs npm test|sh run.sh|bash -c x|python -c x|python3 - x|node -e x
node --test|perl -e x|ruby -e x|npm install x|npm exec x|npx cowsay|npx -c x|pip install x|git push|git push --force|git reset --hard
git clean -fd|git checkout .|git -C x commit|git -c a=b commit|git rebase x|git branch -D x|docker run x|docker exec x
docker compose up|kubectl delete pod x|kubectl exec x|kubectl apply -f x|terraform apply|terraform destroy|go run x|go install x
cargo install x|make -f x|make --eval=x|make SHELL=x|make|python ../x.py|python /tmp/x.py|python ~/x.py|node a/../../x.js
./run.sh|find . -delete|tee x|dd if=x|chmod +x y|mv a b|cp a b|ssh host|scp a b|nc x|eval x|npm run --prefix x|npm run -s
gh api x|gh pr merge 1|aws s3 rm x|make $(x)|timeout 5 npm test|time npm test|poetry run python x|uv run x.py`
      .split(/[|\n]/)
      .filter(Boolean),
  )('GT-11: no prefix for %s', (line) => expect(prefix(line)).toBeUndefined());

  it('GT-11: only for plain words: what follows may be computed, what the rule names may not', () => {
    const rules = (command: string) => suggestRules({ actions: [{ kind: 'shell', command, cwd: '/' }] }).slice(1);
    expect(rules('npm test')).toEqual(['Bash(npm test:*)']);
    expect(rules("'npm' te'st' x")).toEqual(['Bash(npm test:*)']);
    for (const command of ['npm test $X', 'X=1 npm test', 'npm test $(touch x)'])
      expect(rules(command), command).toEqual(['Bash(npm test:*)']);
    for (const command of ['npm run $X', '$npm test']) expect(rules(command), command).toEqual([]);
    expect(rules(Array(20).fill('npm test').join(' && '))).toEqual([]);
  });
});
