/** The check that keeps effects in src/host: what it must see, and what it must leave alone. */

import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { ROOT } from '../../support/program.js';
import { scratchFolder } from '../../support/scratch.js';

/** Runs the check in a folder with these files and returns what it reports, without the words that are always the same. */
async function check(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const folder = await scratchFolder();
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const run = promisify(execFile)(process.execPath, [join(ROOT, 'scripts/check-effects.mjs')], { cwd: folder });
  const { stderr } = await run.catch((error: { stderr: string }) => error);
  return stderr
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.replace(' belongs in src/host', ''));
}

it('sees modules, however they are loaded, and expressions', async () => {
  const text = `import type { Socket } from 'node:net';
import { randomUUID } from 'node:crypto';
import { lookup } from 'dns';
const undici = await import('undici');
const now = [Date.now(), new Date(), performance.now(), Math.random()];
const facts = [process.env.HOME, process.platform, globalThis.process];
setTimeout(() => {}, 1);
type Files = import('node:fs').Stats;
export { readFile } from 'node:fs/promises';
`;
  expect(await check({ 'src/loop/x.ts': text })).toEqual([
    'src/loop/x.ts:1: net',
    'src/loop/x.ts:2: randomUUID',
    'src/loop/x.ts:3: dns',
    'src/loop/x.ts:4: undici',
    'src/loop/x.ts:5: Date.now',
    'src/loop/x.ts:5: new Date()',
    'src/loop/x.ts:5: performance',
    'src/loop/x.ts:5: Math.random',
    'src/loop/x.ts:6: process',
    'src/loop/x.ts:6: process',
    'src/loop/x.ts:6: process',
    'src/loop/x.ts:7: setTimeout',
    'src/loop/x.ts:8: fs',
    'src/loop/x.ts:9: fs/promises',
  ]);
});

it('leaves alone what only has the name, and what computes', async () => {
  const text = `import { createHash } from 'node:crypto';
import { join } from 'node:path';
type Started = { readonly process: string; fetch: typeof fetch };
function end(process: { exit: Promise<number> }) { return process.exit; }
async function run({ process }: { process: { stdout: string } }) { return process.stdout; }
const date = new Date(0).toISOString() + 'node:fs';
for (const process of []) end(process);
export { createHash, join, run, date, type Started };
`;
  expect(await check({ 'src/loop/x.ts': text })).toEqual([]);
});

it('knows the exceptions, and no more than those', async () => {
  const process = 'process.exit(1);\n';
  const files = {
    'src/host/a.ts': `${process}Date.now();`,
    'src/front/cli/a.ts': process,
    'src/front/view/a.ts': process,
  };
  expect(await check(files)).toEqual(['src/front/view/a.ts:1: process']);
  expect(await check({ 'src/front/cli/a.ts': 'Date.now();' })).toEqual(['src/front/cli/a.ts:1: Date.now']);
  expect(await check({ 'src/front/cli/a.txt': '' })).toEqual(['No files were checked.']);
});
