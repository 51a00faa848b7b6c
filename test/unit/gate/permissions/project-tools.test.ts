/** Questions to tools that a project may make run something (GT-27). */

import { afterAll, beforeAll, expect, it } from 'vitest';
import { makePlayground, type Playground } from './playground.js';

const QUESTIONS = `
npm -v
npm --version
npm ls
npm ls --depth=0
npm run
pip list
cargo --version
rustc --version
go version
go env GOPATH
make --version
npm pkg get name
npm why lodash
cargo tree
cargo metadata --offline --no-deps --format-version=1
go list ./...
mvn --version
yarn --help
pytest --version
`;

let ground: Playground;
beforeAll(async () => {
  ground = await makePlayground();
});
afterAll(() => ground.remove());

it.each(QUESTIONS.trim().split('\n'))('GT-27: passes only confined, in a trusted folder: %s', (command) => {
  const box = { deniedInGit: false, gitIsWhole: true };
  expect(ground.bash(command, { box })).toMatchObject({ behavior: 'allow', run: { kind: 'reading' } });
  expect(ground.bash(command, { box, trusted: false }).behavior).toBe('ask');
  expect(ground.bash(command).behavior).toBe('ask');
  expect(ground.bash(command, { mode: 'plan' }).behavior).not.toBe('allow');
});
