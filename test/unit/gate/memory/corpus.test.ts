/** The path rows of the bypass corpus, given to an agent that has Read, Write and Edit for its notes alone (ME-3). */

import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readCorpus } from '../../tools/read-corpus.js';
import { CANARY, type MemoryBench, makeMemoryBench, outsideOf, put, read, tries, write } from './memory-bench.js';

/** Rows that describe a file instead of naming it, with the paths to give. */
const DESCRIBED: Readonly<Record<string, readonly string[]>> = {
  'path-01': ['../mem-evil/x', '../mem-evil/x.md'],
  'path-04': ['a/link/passwd', 'a/link/secret.md', 'a/link/new.md', 'a/./link//secret.md'],
  'path-05': ['dangling', 'dangling.md'],
  'path-06': ['hard', 'hard.md'],
  'path-31': ['n'.repeat(300), `${'n'.repeat(300)}.md`],
  'path-32': [`${'d/'.repeat(2100)}x`, `${'d/'.repeat(2100)}x.md`],
  'path-33': ['fifo', 'fifo.md'],
  'path-34': ['socket', 'socket.md'],
  'path-36': ['~/.aws/', '~/.aws/a.md'],
  'path-38': ['../../x', '../../x.md'],
  'path-39': ['../x', '../x.md'],
  'path-40': ['a/../../b', 'x; touch y', 'a/../../b.md'],
  'path-41': ['../evil', '../evil.md'],
};

async function withTraps(): Promise<MemoryBench> {
  const bench = await makeMemoryBench();
  const { memory, outside } = bench;
  mkdirSync(join(memory, 'a'));
  await put(join(outside, 'passwd'), CANARY);
  symlinkSync(outside, join(memory, 'a/link'));
  for (const end of ['', '.md']) {
    symlinkSync(join(outside, `new${end}`), join(memory, `dangling${end}`));
    linkSync(join(outside, 'passwd'), join(memory, `hard${end}`));
    execFileSync('mkfifo', [join(memory, `fifo${end}`)]);
    const server = createServer().listen(join(memory, `socket${end}`));
    await new Promise((resolve) => server.once('listening', resolve));
    onTestFinished(() => void server.close());
  }
  return bench;
}

describe('ME-3: the path rows of the corpus', () => {
  const rows = readCorpus('path');

  it('ME-3: there are rows', () => {
    expect(rows.length).toBeGreaterThan(25);
  });

  it.each(rows)(
    'ME-3 GT-7: $id: refused, or inside after resolving; nothing outside is read or written',
    async (row) => {
      const bench = await withTraps();
      const before = outsideOf(bench);
      for (const path of DESCRIBED[row.id] ?? [row.input, `${row.input}.md`]) {
        for (const mode of ['default', 'bypassPermissions'] as const) {
          for (const [tool, input] of tries(path)) {
            const said = await bench.call(tool, input, { agent: { ...bench.agent, mode } });
            expect(said.text, `${tool.name} ${path}`).not.toContain(CANARY);
            if (said.refused) continue;
            const real = realpathSync(join(bench.memory, path));
            expect(dirname(`${real}/`).startsWith(`${bench.memory}/`), `${tool.name} ${path}`).toBe(true);
          }
        }
      }
      expect(outsideOf(bench)).toEqual(before);
      expect(readFileSync(join(bench.memory, 'hard.md'), 'utf8')).toBe(CANARY);
    },
  );

  it('ME-3: next to the traps, plain notes work', async () => {
    const bench = await withTraps();
    expect(await bench.call(write, { file_path: 'a/plain.md', content: 'mine' })).toMatchObject({ refused: false });
    expect(await bench.call(read, { file_path: 'a/plain.md' })).toMatchObject({ refused: false });
    expect(readdirSync(join(bench.memory, 'a')).sort()).toEqual(['link', 'plain.md']);
  });
});
