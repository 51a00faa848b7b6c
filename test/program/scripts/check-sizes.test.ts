import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { ROOT } from '../../support/program.js';
import { scratchFolder } from '../../support/scratch.js';

it('names each file that is too long and each folder that is too full, with the limit', async () => {
  const folder = await scratchFolder();
  for (const name of ['src', 'test', 'scripts', 'bench', 'examples']) await mkdir(join(folder, name));
  const lines = (count: number) => 'x;\n'.repeat(count);
  await writeFile(join(folder, 'src/right.ts'), lines(300));
  await writeFile(join(folder, 'src/long.ts'), lines(301));
  await writeFile(join(folder, 'test/right.test.ts'), lines(450));
  await writeFile(join(folder, 'test/long.test.ts'), lines(451));
  for (let i = 0; i < 21; i += 1) await writeFile(join(folder, `bench/${i}.mjs`), '');
  const run = promisify(execFile)(process.execPath, [join(ROOT, 'scripts/check-sizes.mjs')], { cwd: folder });
  const { stderr } = await run.catch((error: { stderr: string }) => error);
  expect(stderr.trim().split('\n')).toEqual([
    'src/long.ts: 301 lines, at most 300',
    'test/long.test.ts: 451 lines, at most 450',
    'bench/: 21 files, at most 20',
  ]);
});
