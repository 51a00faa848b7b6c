import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { editTool } from '../../../src/tools/edit/edit.js';
import { writeTool } from '../../../src/tools/edit/write.js';
import { isInside, pathContextOf } from '../../../src/tools/path-context.js';
import { readTool } from '../../../src/tools/read/read.js';
import { globTool } from '../../../src/tools/search/glob.js';
import { grepTool } from '../../../src/tools/search/grep.js';
import { readCorpus } from './read-corpus.js';
import { type Bench, makeBench } from './tool-bench.js';

/** Rows that describe a file instead of naming it, with the path to give. */
const DESCRIBED: Readonly<Record<string, string>> = {
  'path-04': 'a/link/passwd',
  'path-05': 'dangling',
  'path-06': 'hard',
  'path-31': 'n'.repeat(300),
  'path-32': `${'d/'.repeat(2100)}x`,
  'path-33': 'fifo',
  'path-34': 'socket',
  'path-36': '~/.aws/',
  'path-38': '../../x',
  'path-39': '../x',
  'path-40': 'a/../../b',
  'path-41': '../evil',
};

/** Inside the root by name, and yet nothing a tool may write. */
const REFUSED: ReadonlySet<string> = new Set(['path-05', 'path-06', 'path-31', 'path-32', 'path-33', 'path-34']);

async function withTraps(): Promise<{ bench: Bench; close: () => void }> {
  const bench = await makeBench();
  mkdirSync(bench.path('a'));
  writeFileSync(join(bench.outside, 'passwd'), 'secret');
  symlinkSync(bench.outside, bench.path('a/link'));
  symlinkSync(join(bench.outside, 'new'), bench.path('dangling'));
  linkSync(join(bench.outside, 'passwd'), bench.path('hard'));
  execFileSync('mkfifo', [bench.path('fifo')]);
  const server = createServer().listen(bench.path('socket'));
  await new Promise((resolve) => server.once('listening', resolve));
  return { bench, close: () => server.close() };
}

describe('GT-7 SF-14: the path rows of the corpus', () => {
  const rows = readCorpus('path');

  it('GT-7 SF-14: there are rows', () => {
    expect(rows.length).toBeGreaterThan(20);
  });

  for (const { id, input } of rows) {
    const given = DESCRIBED[id] ?? input;

    it(`GT-7 SF-14: ${id}: what is declared is what is touched, or nothing is`, async () => {
      const { bench, close } = await withTraps();
      const parsed = writeTool.parse({ file_path: given, content: 'x' });
      if (parsed.ok) {
        const [action] = writeTool.declare(parsed.input, pathContextOf(bench.context));
        if (action?.kind !== 'edit') throw new Error('no edit declared');
        expect(action.path).toBe(normalize(action.path));
        expect(action.path.startsWith('/')).toBe(true);
        // The gate judges the real path; the tool refuses to write anywhere else. Here nothing outside is granted.
        const inside = isInside(bench.root, action.path) && id !== 'path-04';
        if (inside) {
          const outcome = await bench.call(writeTool, { file_path: given, content: 'x' });
          expect(outcome.isError).toBe(REFUSED.has(id));
          if (!outcome.isError) expect(readFileSync(action.path, 'utf8')).toBe('x');
        } else {
          const judged = new Map([[action.path, bench.path('granted')]]);
          expect((await bench.call(writeTool, { file_path: given, content: 'x' }, { judged })).isError).toBe(true);
        }
        const edited = { file_path: given, old_string: 'secret', new_string: 'x' };
        expect((await bench.call(editTool, edited)).isError).toBe(true);
      } else expect(parsed.reason).toContain('NUL');
      expect(readdirSync(bench.outside)).toEqual(['passwd']);
      expect(readFileSync(join(bench.outside, 'passwd'), 'utf8')).toBe('secret');
      close();
    });

    it(`GT-7 SF-14: ${id}: searches stay inside, reading ends`, async () => {
      const { bench, close } = await withTraps();
      for (const tool of [globTool, grepTool]) {
        const outcome = await bench.call(tool, { pattern: 'passwd', path: given, output_mode: 'content' });
        expect(JSON.stringify(outcome)).not.toContain(`${bench.outside}/passwd"`);
        if (!outcome.isError) expect(JSON.stringify(outcome)).toContain('No ');
      }
      // Whether it may be read is the gate's to say; that it comes to an end is the tool's.
      await bench.call(readTool, { file_path: given });
      close();
    });
  }
});
