/** What a search shows is in the folder searched, whatever is swapped meanwhile and however files are named. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { nodeProcesses } from '../../../src/host/node-processes.js';
import type { ProcessCommand } from '../../../src/host/processes.js';
import { globTool } from '../../../src/tools/search/glob.js';
import { grepTool } from '../../../src/tools/search/grep.js';
import type { ToolContext } from '../../../src/tools/tool.js';
import { type Bench, makeBench } from '../../unit/tools/tool-bench.js';

const MODES = [
  { output_mode: 'content' },
  { output_mode: 'content', '-n': false },
  { output_mode: 'content', '-C': 2 },
  { output_mode: 'count' },
  { output_mode: 'files_with_matches' },
  { output_mode: 'content', multiline: true, '-A': 1 },
] as const;

describe('names that could be taken for output', () => {
  const NAMES = ['a\nb.txt', '\nopen.txt:1:x', 'a:1:b.txt', '--', '-e', 'a\n--\nopen.txt', 'x\r\n\r'];

  it.each(MODES)('GT-4: Grep under a deny shows nothing of a denied file with any name (%o)', async (mode) => {
    const bench = await makeBench();
    for (const name of NAMES) await bench.write(`secrets/${name}`, `before\nhunter2 ${name}\nafter\n`);
    for (const name of ['secrets\nx/a.txt', 'open.txt']) await bench.write(name, 'before\nhunter2 open\nafter\n');
    const mayRead = (path: string) => !path.startsWith(bench.path('secrets/'));
    const said = await bench.say(grepTool, { pattern: 'hunter2|b', ...mode }, { mayRead });
    expect(said.replaceAll('secrets\nx/a.txt', '')).not.toMatch(/secrets|b\.txt|\r/);
    expect(said.replaceAll(/hunter2 open|secrets\nx/g, '')).not.toContain('hunter2');
    expect(said).toContain('open.txt');
    expect(said).toContain('secrets\nx/a.txt');
    const one = await bench.say(grepTool, { pattern: 'hunter2', path: 'secrets/a\nb.txt', ...mode }, { mayRead });
    expect(one).toContain('No match');
  });

  it('SF-14: lines around a match look the same with and without a deny, and groups are parted', async () => {
    const bench = await makeBench();
    for (let i = 10; i < 80; i++) await bench.write(`f${i}.txt`, 'before\nneedle\nafter\n');
    const input = { pattern: 'needle', output_mode: 'content', '-C': 1, head_limit: 0 };
    const plain = await bench.say(grepTool, input);
    const group = (i: number) => `f${i}.txt-1-before\nf${i}.txt:2:needle\nf${i}.txt-3-after`;
    expect(plain).toBe(Array.from({ length: 70 }, (_, i) => group(i + 10)).join('\n--\n'));
    expect(await bench.say(grepTool, input, { mayRead: () => true })).toBe(plain);
  });
});

/** Inside and outside have the same names, and some of their own. */
async function withTwins(): Promise<Bench> {
  const bench = await makeBench();
  mkdirSync(join(bench.outside, 'deep'));
  for (let i = 0; i < 20; i++) {
    await bench.write(`sub/deep/f${i}.txt`, `needle inside ${i}\n`);
    writeFileSync(join(bench.outside, 'deep', `f${i}.txt`), `needle OUTSIDE ${i}\n`);
    writeFileSync(join(bench.outside, 'deep', `secret${i}.txt`), `needle OUTSIDE ${i}\nneedle OUTSIDE again\n`);
  }
  return bench;
}

const SEARCHES = [
  ...MODES.map((mode) => [grepTool, { pattern: 'needle.*', ...mode }] as const),
  [grepTool, { pattern: 'OUTSIDE' }] as const,
  [globTool, { pattern: '**/*.txt' }] as const,
];

describe('a folder below the searched one that is swapped with a link to an outside one', () => {
  it('GT-28: Grep and Glob show nothing of what the link leads to, even if ripgrep went there', async () => {
    const bench = await withTwins();
    symlinkSync(bench.outside, bench.path('link'));
    await bench.write('real.txt', 'needle OUTSIDE? no, inside\n');
    let wandered = 0;
    // Stands in for a ripgrep that met the link after it had seen a folder.
    const start = (command: ProcessCommand) => {
      const follows = command.cwd === bench.root ? false : command.args.includes('.');
      if (follows) wandered += 1;
      return nodeProcesses.start({
        ...command,
        args: command.args.map((arg) => (follows && arg === '--no-follow' ? '--follow' : arg)),
      });
    };
    const host: ToolContext['host'] = { ...bench.context.host, processes: { ...nodeProcesses, start } };
    for (const [tool, input] of SEARCHES) {
      const said = await bench.say(tool, input, { host });
      expect(said, JSON.stringify(input)).toContain('real.txt');
      expect(said.replaceAll('OUTSIDE? no', ''), JSON.stringify(input)).not.toMatch(/OUTSIDE|secret|link/);
    }
    expect(wandered).toBe(SEARCHES.length);
  });

  it('GT-28: hundreds of swaps while Grep and Glob search: not a line, a name or a count from outside', async () => {
    const bench = await withTwins();
    const swapper = spawn(process.execPath, [
      'test/fixtures/swap-folder.mjs',
      bench.path('sub'),
      bench.outside,
      '6000',
    ]);
    const ended = once(swapper, 'exit');
    await once(swapper.stdout, 'data');
    while (swapper.exitCode === null) {
      for (const [tool, input] of SEARCHES) {
        const said = (await bench.say(tool, input)).replace(/^No match for OUTSIDE in .*/, '');
        expect(said, JSON.stringify(input)).not.toMatch(/OUTSIDE|secret|\.txt:2$/m);
      }
    }
    await ended;
  });
});
