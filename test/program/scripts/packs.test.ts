/** The program as it is built. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { buildProgram, ROOT } from '../../support/program.js';

it('its packs are ASCII: they are read as one byte per character, and a regular expression with more would never match', async () => {
  await buildProgram();
  const packs = readdirSync(join(ROOT, 'dist')).filter((name) => name.endsWith('.cjs'));
  expect(packs.length).toBeGreaterThan(5);
  for (const name of packs) {
    const text = readFileSync(join(ROOT, 'dist', name), 'utf8');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: everything but ASCII.
    expect([name, ...(text.match(/.{0,30}[^\x00-\x7f].{0,30}/g) ?? [])]).toEqual([name]);
  }
});
