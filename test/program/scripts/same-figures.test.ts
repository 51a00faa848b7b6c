/** README and docs/storage.md tell of the same torture run. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../../support/program.js';

/** Rows of all tables: the words before, the value after. */
function rowsIn(page: string): Map<string, string> {
  const rows = page.matchAll(/^\| ([^|]+?) \| ([\d,]+(?: \([\d,]+\))?) \|$/gm);
  return new Map([...rows].map(([, words = '', value = '']) => [words, value]));
}

it('DU-22: the README gives the figures of docs/storage.md', async () => {
  const [readme, storage] = await Promise.all(
    ['README.md', 'docs/storage.md'].map((name) => readFile(join(ROOT, name), 'utf8')),
  );
  const promised = readme?.slice(readme.indexOf('## What is promised'), readme.indexOf('## Speed')) ?? '';
  const told = rowsIn(storage ?? '');
  const rows = rowsIn(promised);
  expect(rows.size).toBeGreaterThan(4);
  for (const [words, value] of rows) expect(told.get(words), words).toBe(value);
  const summary = /`npm run torture -- \d+`\): (.*)$/m.exec(promised)?.[1] ?? '';
  const figures = summary.match(/[\d,]*\d/g) ?? [];
  expect(figures.length).toBeGreaterThan(3);
  const tortured = storage?.slice(storage.indexOf('How it is tested')) ?? '';
  for (const figure of figures) expect(tortured, figure).toMatch(new RegExp(`(?<!\\d|\\d,)${figure}(?!\\d|,\\d)`));
});
