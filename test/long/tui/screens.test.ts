/** The pictures in the docs match the program: taken again, they are the same. */

import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { buildProgram, ROOT, runShell } from '../../support/program.js';
import { scratchFolder } from '../../support/scratch.js';

beforeAll(buildProgram);

const PICTURES = ['conversation', 'tree', 'agent', 'diff', 'compare', 'resume'];

it('SF-15: the pictures of docs/terminal.md match the terminal', async () => {
  const isUpdated = process.env.UPDATE_DOCS === '1';
  const kept = join(ROOT, 'docs/images');
  const taken = isUpdated ? kept : await scratchFolder();
  await mkdir(taken, { recursive: true });
  const script = join(ROOT, 'scripts/capture-screens.mjs');
  const run = await runShell(`node "${script}" --out "${taken}"`, { cwd: ROOT, env: { PATH: process.env.PATH } });
  expect(run, run.stderr).toMatchObject({ code: 0 });
  for (const name of PICTURES) {
    const file = `terminal-${name}.svg`;
    const now = await readFile(join(taken, file), 'utf8');
    const before = await readFile(join(kept, file), 'utf8');
    expect(wordsOf(now), `${file}: run UPDATE_DOCS=1 npx vitest run test/long/tui/screens.test.ts`).toEqual(
      wordsOf(before),
    );
    // They need nothing else, and nothing in them acts.
    expect(before).not.toMatch(/<(script|image|foreignObject|style)|href|https?:\/\/(?!www\.w3\.org\/2000\/svg)/);
  }
});

it('SF-15: README and docs/terminal.md show every picture there is', async () => {
  const pages = await Promise.all(['README.md', 'docs/terminal.md'].map((page) => readFile(join(ROOT, page), 'utf8')));
  for (const name of PICTURES)
    expect(pages.join('\n')).toMatch(new RegExp(`!\\[[^\\]]+\\]\\([^)]*terminal-${name}\\.svg\\)`));
});

const NUMBER = /(&lt;)?\$[\d.]+|\d+%|\b\d[\d.,]*(k\b|(?= in\b))/g;

/** Row by row, without durations and the order of concurrent agents. */
function wordsOf(svg: string): string[] {
  return [...svg.matchAll(/<text [^>]*>(.*?)<\/text>/g)]
    .map(([, row = '']) => row.replace(/<\/tspan><tspan[^>]*>/g, ' ').replace(/<[^>]*>/g, ''))
    .map((row) => row.replace(/ · (\d:\d\d|\d+s)\b/g, '').replace(NUMBER, 'N'))
    .sort();
}
