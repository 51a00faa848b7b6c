/** Lines that people and models write every day run without a question under ordinary rules (GT-8, GT-35, GT-36). */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PermissionMode } from '../../../../src/protocol/permission.js';
import { makePlayground, type Playground } from './playground.js';

type Row = {
  readonly id: string;
  readonly rules: readonly string[];
  readonly mode: PermissionMode;
  readonly trusted: boolean;
  readonly setup: string;
  readonly input: string;
};

const rows = readFileSync(new URL('../../../fixtures/corpus/usable.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Row);

const BOX = { deniedInGit: false, gitIsWhole: true };

let plain: Playground;
let withSubmodule: Playground;
beforeAll(async () => {
  plain = await makePlayground();
  withSubmodule = await makePlayground();
  for (const place of [plain, withSubmodule]) {
    for (const file of ['a.js', 'src/a.ts', 'server.js', 'tests/a.test.js', 'Makefile']) await place.write(file);
    const git = (...args: readonly string[]) =>
      execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@example.com', ...args], { cwd: place.root });
    git('init', '-q');
    git('add', '.');
    git('commit', '-qm', 'x');
    if (place === withSubmodule) {
      git('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', plain.root, 'sub');
      git('commit', '-qm', 'submodule');
    }
    for (const name of ['vitest', 'prettier', 'tsc']) await place.write(`node_modules/.bin/${name}`);
  }
});
afterAll(async () => {
  await plain.remove();
  await withSubmodule.remove();
});

describe('GT-8 GT-35 GT-36 the usable lines', () => {
  it.each(rows.map((row) => [row.id, row] as const))('GT-8: %s runs without a question', (_id, row) => {
    const place = row.setup.includes('submodule') ? withSubmodule : plain;
    for (const box of [{ box: BOX }, {}]) {
      const changes = { allow: row.rules, mode: row.mode, trusted: row.trusted, ...box };
      const decision = place.bash(row.input, changes);
      expect(decision, `${row.input} ${JSON.stringify(decision)}`).toMatchObject({ behavior: 'allow' });
    }
  });
});
