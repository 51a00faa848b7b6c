/** What was checked is what is opened, whoever swaps folders and names meanwhile (GT-28). */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Tool } from '../../../src/tools/tool.js';
import { edit, filesBelow, glob, grep, notebookEdit, read, write } from '../../program/tools/held-folder-stage.js';
import { swappingHost } from '../../support/hosts/swapping-host.js';
import { type Bench, makeBench } from '../../unit/tools/tool-bench.js';

const SWAPS = 5_000;

const OUTSIDE = ['target/a.secret', 'target/book.ipynb', 'target/known.txt'];

describe('a folder that is swapped with a link to an outside one', () => {
  it('GT-28 5,000 swaps while Write writes: nothing lands outside, and no temporary file is left', async () => {
    const bench = await makeBench();
    await mkdir(bench.path('sub'));
    await mkdir(join(bench.outside, 'target'));
    const swapper = spawn(process.execPath, [
      'test/fixtures/swap-folder.mjs',
      bench.path('sub'),
      join(bench.outside, 'target'),
      `${SWAPS}`,
    ]);
    const ended = once(swapper, 'exit');
    await once(swapper.stdout, 'data');
    const written: string[] = [];
    let refused = 0;
    for (let count = 0; swapper.exitCode === null; count += 1) {
      const name = count % 2 === 0 ? `sub/${count}.txt` : `sub/new-${count}/deep/${count}.txt`;
      // As the gate judges it in a moment in which the folder is there.
      const judged = new Map([[bench.path(name), bench.path(name)]]);
      const end = await bench.call(write as Tool, { file_path: bench.path(name), content: `${count}` }, { judged });
      if (end.isError) refused += 1;
      else written.push(name);
    }
    expect((await ended)[0]).toBe(0);
    expect(filesBelow(bench.outside)).toEqual([]);
    expect(filesBelow(dirname(bench.root)).filter((path) => path.includes('coppice-tmp'))).toEqual([]);
    // Both were met, and what was said to be written is there.
    expect(written.length).toBeGreaterThan(0);
    expect(refused).toBeGreaterThan(0);
    const there = new Set(filesBelow(bench.root).map((path) => basename(path)));
    expect(written.filter((name) => !there.has(basename(name)))).toEqual([]);
  });

  it.each([
    ['Write, a new file', write, { content: 'new' }, 'file_path', 'new.txt'],
    ['Write, new folders', write, { content: 'new' }, 'file_path', 'a/b/new.txt'],
    ['Write, a known file', write, { content: 'new' }, 'file_path', 'known.txt'],
    ['Edit', edit, { old_string: 'known', new_string: 'new' }, 'file_path', 'known.txt'],
    ['NotebookEdit', notebookEdit, { cell_id: 'c1', new_source: 'new' }, 'notebook_path', 'book.ipynb'],
    ['Read', read, {}, 'file_path', 'known.txt'],
    ['Grep in a file', grep, { pattern: 'secret', output_mode: 'content' }, 'path', 'known.txt'],
    ['Grep in a folder', grep, { pattern: 'secret', output_mode: 'content' }, 'path', '.'],
    ['Glob', glob, { pattern: '*.secret' }, 'path', '.'],
  ])('GT-28 %s does not follow it, at whatever step it appears', async (_name, tool, input, field, name) => {
    for (let step = 0; ; step += 1) {
      const bench = await stageSwap();
      const { host, steps } = swappingHost(bench.context.host, step, async () => {
        await rename(bench.path('sub'), bench.path('aside'));
        await symlink(join(bench.outside, 'target'), bench.path('sub'));
      });
      const path = join(bench.path('sub'), name);
      const judged = new Map([[path, path]]);
      const said = await bench.say(tool as Tool, { ...input, [field]: path }, { host, judged });
      expect(said).not.toMatch(/secret text|a\.secret/);
      expect(filesBelow(bench.outside).sort()).toEqual(OUTSIDE);
      for (const file of OUTSIDE) expect(readFileSync(join(bench.outside, file), 'utf8')).toContain('secret text');
      expect(filesBelow(bench.root).filter((one) => one.includes('coppice-tmp'))).toEqual([]);
      if (steps() <= step) return;
    }
  });
});

async function stageSwap(): Promise<Bench> {
  const bench = await makeBench();
  await bench.write('sub/known.txt', 'known');
  await bench.write('sub/book.ipynb', notebook('old'));
  for (const name of ['known.txt', 'book.ipynb'])
    await bench.say(read as Tool, { file_path: bench.path(`sub/${name}`) });
  await mkdir(join(bench.outside, 'target'));
  await writeFile(join(bench.outside, 'target/known.txt'), 'known secret text');
  await writeFile(join(bench.outside, 'target/a.secret'), 'secret text');
  await writeFile(join(bench.outside, 'target/book.ipynb'), notebook('secret text'));
  return bench;
}

function notebook(source: string): string {
  const cell = { cell_type: 'code', id: 'c1', metadata: {}, outputs: [], source };
  return JSON.stringify({ cells: [cell], nbformat: 4, nbformat_minor: 5, metadata: {} });
}
