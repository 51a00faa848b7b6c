import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import picomatch from 'picomatch';
import { describe, expect, it } from 'vitest';
import { nodeProcesses } from '../../../../src/host/node-processes.js';
import type { ProcessCommand } from '../../../../src/host/processes.js';
import { globTool } from '../../../../src/tools/search/glob.js';
import { compileGlob } from '../../../../src/tools/search/glob-pattern.js';
import { grepTool } from '../../../../src/tools/search/grep.js';
import fc from '../../../support/fast-check.js';
import { scratchFolder } from '../../../support/scratch.js';
import { readCorpus } from '../read-corpus.js';
import { type Bench, makeBench, processesWith } from '../tool-bench.js';

function matches(pattern: string, path: string): boolean {
  const compiled = compileGlob(pattern);
  if ('reason' in compiled) throw new Error(compiled.reason);
  return compiled.matches(path);
}

const reason = (pattern: string) => {
  const compiled = compileGlob(pattern);
  return 'reason' in compiled ? compiled.reason : undefined;
};

async function withTree(): Promise<Bench> {
  const bench = await makeBench();
  execFileSync('git', ['init', '-q', bench.root]);
  const names = ['a.ts', 'src/b.ts', 'src/deep/c.ts', 'src/d.js', '.hidden/e.ts', 'ignored/f.ts', 'x.log'];
  for (const [index, name] of names.entries()) {
    const path = await bench.write(name, `// needle in ${name}\nplain\n`);
    utimesSync(path, 1000 + index, 1000 + index);
  }
  await bench.write('.gitignore', 'ignored\n*.log\n');
  utimesSync(bench.path('.gitignore'), 1, 1);
  writeFileSync(`${bench.outside}/secret.ts`, 'needle outside\n');
  symlinkSync(bench.outside, bench.path('way-out'));
  symlinkSync(`${bench.outside}/secret.ts`, bench.path('src/link.ts'));
  return bench;
}

describe('SF-14: glob patterns', () => {
  it('SF-14: names at any depth, paths from the folder, classes, braces, escapes', () => {
    const cases: readonly [string, string, boolean][] = [
      ['*.ts', 'a/b/c.ts', true],
      ['./*.ts', 'a/c.ts', false],
      ['./*.ts', 'c.ts', true],
      ['src/*.ts', 'src/a/b.ts', false],
      ['src/**/*.ts', 'src/b.ts', true],
      ['src/**/*.ts', 'src/a/b/c.ts', true],
      ['src/**', 'src/a/b', true],
      ['src/**', 'src', false],
      ['src/', 'src/a', true],
      ['**/x/**/y', 'x/y', true],
      ['**/x/**/y', 'a/x/b/x/c/y', true],
      ['[a-c]?.{ts,t{s,sx}x}', 'b1.tsx', true],
      ['[!a-c]*', 'b', false],
      ['[]]x', ']x', true],
      ['a[b', 'a[b', true],
      ['{a}', '{a}', true],
      ['a\\*b', 'a*b', true],
      ['a\\*b', 'axb', false],
      ['app/(group)/*.tsx', 'app/(group)/page.tsx', true],
      ['.*', '.env', true],
    ];
    for (const [pattern, path, expected] of cases) expect(matches(pattern, path), `${pattern} ${path}`).toBe(expected);
  });

  it('SF-14: agrees with picomatch on plain patterns', () => {
    const part = fc.constantFrom('a', 'b', 'ab', '*', '?', '*a', 'b*', '[ab]', '**');
    const name = fc.constantFrom('a', 'b', 'ab', 'ba', 'aab', 'abb');
    fc.assert(
      fc.property(
        fc.array(part, { minLength: 2, maxLength: 5 }),
        fc.array(name, { minLength: 1, maxLength: 5 }),
        (parts, names) => {
          // At the end ** differs on purpose: it stands for at least one name here, for the folder itself there.
          fc.pre(parts.at(-1) !== '**');
          const [pattern, path] = [parts.join('/'), names.join('/')];
          expect(matches(pattern, path)).toBe(picomatch(pattern, { dot: true, noextglob: true })(path));
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('SF-14: what could explode is refused', () => {
    expect(reason('{a,b}'.repeat(20))).toContain('braces expand to more than');
    expect(reason('{'.repeat(400))).toContain('more than 30 braces');
    expect(reason('x'.repeat(1001))).toContain('1001 characters');
    expect(reason('+(a|aa)')).toContain('extended patterns');
    expect(reason('*/../x')).toContain('".."');
    expect(reason(' ')).toContain('empty');
    expect(matches(`${'*a'.repeat(100)}b`, 'a'.repeat(255))).toBe(false);
    expect(matches(`${'**/a/'.repeat(100)}b`, 'a/'.repeat(1000))).toBe(false);
  });

  it('SF-14: the glob rows of the corpus are refused or finish', async () => {
    const bench = await withTree();
    const rows = readCorpus('glob');
    expect(rows.length).toBeGreaterThan(0);
    for (const { id, input } of rows) {
      const outcome = await bench.call(globTool, { pattern: input });
      const text = outcome.content[0]?.type === 'text' ? outcome.content[0].text : '';
      expect(text, id).toMatch(outcome.isError ? /Invalid glob pattern/ : /No file matches/);
    }
  });
});

describe('SF-14: Glob', () => {
  it('SF-14: newest first, .gitignore respected, links not followed', async () => {
    const bench = await withTree();
    expect(await bench.say(globTool, { pattern: '**/*.ts' })).toBe('.hidden/e.ts\nsrc/deep/c.ts\nsrc/b.ts\na.ts');
    expect(await bench.say(globTool, { pattern: '**/*' })).toBe(
      '.hidden/e.ts\nsrc/d.js\nsrc/deep/c.ts\nsrc/b.ts\na.ts\n.gitignore',
    );
    expect(await bench.say(globTool, { pattern: '*.ts', path: 'src' })).toBe('src/deep/c.ts\nsrc/b.ts');
    expect(await bench.say(globTool, { pattern: 'src/*.ts' })).toBe('src/b.ts');
    expect(await bench.say(globTool, { pattern: `${bench.root}/src/*.js` })).toBe('src/d.js');
    expect(await bench.say(globTool, { pattern: 'ignored/*' })).toBe('ignored/f.ts');
    expect(await bench.say(globTool, { pattern: '*.none' })).toContain('No file matches');
  });

  it('GT-7 SF-14: results stay inside the roots, by any way out', async () => {
    const bench = await withTree();
    const tries = [
      { pattern: '*', path: '..' },
      { pattern: '*', path: 'way-out' },
      { pattern: 'way-out/*' },
      { pattern: '../outside/*' },
      { pattern: `${bench.outside}/*` },
      { pattern: '/etc/*' },
      { pattern: '~/../outside/*' },
      { pattern: '{..,src}/*' },
      { pattern: 'src/*/../../../outside/*' },
    ];
    for (const input of tries) {
      const outcome = await bench.call(globTool, input);
      expect(outcome.isError, JSON.stringify(input)).toBe(true);
      expect(JSON.stringify(outcome)).not.toContain('secret');
    }
  });

  it('SF-14: at most 100, with a note; odd places are named', async () => {
    const bench = await makeBench();
    for (let i = 0; i < 120; i++) await bench.write(`many/f${i}`, '');
    const said = await bench.say(globTool, { pattern: 'many/*' });
    expect(said.split('\n')).toHaveLength(101);
    expect(said).toContain('newest 100 of 120 files');
    expect(await bench.say(globTool, { pattern: '*', path: 'many/f1' })).toContain('is a file');
    expect(await bench.say(globTool, { pattern: '*', path: 'none' })).toContain('does not exist');
  });

  it.each(['.gitignore', 'src/deep/.gitignore', 'src/.ignore'])(
    'GT-32: a pipe as %s stalls no search',
    async (name) => {
      const bench = await withTree();
      rmSync(bench.path(name), { force: true });
      execFileSync('mkfifo', [bench.path(name)]);
      const reason = `${bench.path(name)} is a pipe or a device`;
      for (const path of ['.', 'src/deep']) {
        expect(await bench.say(globTool, { pattern: '*.ts', path })).toContain(reason);
        expect(await bench.say(grepTool, { pattern: 'needle', path })).toContain(reason);
      }
    },
  );

  it('GT-32: a device behind a link as .gitignore is not read', async () => {
    const bench = await withTree();
    rmSync(bench.path('.gitignore'));
    symlinkSync('/dev/zero', bench.path('.gitignore'));
    expect(await bench.say(grepTool, { pattern: 'needle' })).toContain('is a pipe or a device');
  });

  it('SF-14: declares the folder it searches', () => {
    const at = { cwd: '/w', home: '/home/p' };
    const folder = (input: { pattern: string; path?: string }) => globTool.declare(input, at);
    expect(folder({ pattern: '*.ts' })).toEqual([{ kind: 'search', path: '/w' }]);
    expect(folder({ pattern: '/etc/ssh/*' })).toEqual([{ kind: 'search', path: '/etc/ssh' }]);
    expect(folder({ pattern: '~/.ssh/*' })).toEqual([{ kind: 'search', path: '/home/p/.ssh' }]);
    expect(folder({ pattern: '/*' })).toEqual([{ kind: 'search', path: '/' }]);
    expect(folder({ pattern: '../x/**', path: 'a' })).toEqual([{ kind: 'search', path: '/w/x' }]);
  });
});

describe('SF-14: Grep', () => {
  it('SF-14: files, content, count, with the usual options', async () => {
    const bench = await withTree();
    const say = (input: object) => bench.say(grepTool, { pattern: 'needle', ...input });
    expect(await say({})).toBe('.hidden/e.ts\nsrc/d.js\nsrc/deep/c.ts\nsrc/b.ts\na.ts');
    expect(await say({ output_mode: 'content', glob: '*.js' })).toBe('src/d.js:1:// needle in src/d.js');
    expect(await say({ output_mode: 'content', '-n': false, '-A': 1, path: 'a.ts' })).toBe(
      'a.ts:// needle in a.ts\na.ts-plain',
    );
    expect(await say({ output_mode: 'count', type: 'js' })).toBe('src/d.js:1');
    expect(await say({ pattern: 'NEEDLE', '-i': true, type: 'js' })).toBe('src/d.js');
    expect(await say({ pattern: 'needle.*plain', multiline: true, path: 'src/deep' })).toBe('src/deep/c.ts');
    expect(await say({ pattern: '-e --pre=x', path: 'src' })).toContain('No match');
    expect(await say({ glob: '**/*' })).not.toContain('ignored');
  });

  it('SF-14: limit and offset page through a stable order', async () => {
    const bench = await makeBench();
    await bench.write('lines', Array.from({ length: 400 }, (_, i) => `hit ${i}`).join('\n'));
    const say = (input: object) =>
      bench.say(grepTool, { pattern: 'hit', output_mode: 'content', '-n': false, ...input });
    const first = (await say({})).split('\n');
    expect(first).toHaveLength(251);
    expect(first.at(-1)).toBe('(more results follow; continue with offset 250)');
    expect((await say({ offset: 250 })).split('\n')[0]).toBe('lines:hit 250');
    expect(await say({ head_limit: 1, offset: 399 })).toBe('lines:hit 399');
    expect(await say({ offset: 500 })).toContain('Only 400 results');
  });

  it('SF-14: long lines are cut, a huge result is bounded', async () => {
    const bench = await makeBench();
    await bench.write('long', `hit${'x'.repeat(100_000)}\n`.repeat(100));
    const said = await bench.say(grepTool, { pattern: 'hit', output_mode: 'content' });
    expect(said.length).toBeLessThanOrEqual(30_000);
  });

  it('GT-7 SF-14: stays inside the roots; reads no configuration; runs no program', async () => {
    const bench = await withTree();
    for (const path of ['..', 'way-out', '/etc', 'src/link.ts', '~']) {
      const outcome = await bench.call(grepTool, { pattern: 'needle', path });
      expect(outcome.isError, path).toBe(true);
      expect(JSON.stringify(outcome)).not.toContain('secret');
    }
    const config = await bench.write('rgrc', '--follow\n--pre=touch\n');
    const env = { ...bench.context.host.env, RIPGREP_CONFIG_PATH: config };
    const found = await bench.say(grepTool, { pattern: 'needle' }, { host: { ...bench.context.host, env } });
    expect(found).toBe('.hidden/e.ts\nsrc/d.js\nsrc/deep/c.ts\nsrc/b.ts\na.ts');
  });

  it('SF-14: a wrong expression, type or path is named', async () => {
    const bench = await withTree();
    expect(await bench.say(grepTool, { pattern: '(' })).toMatch(/failed: [\s\S]*unclosed group/);
    expect(await bench.say(grepTool, { pattern: 'x', type: 'nonsense' })).toContain('nonsense');
    expect(await bench.say(grepTool, { pattern: 'x', path: 'none' })).toContain('does not exist');
    expect(await bench.say(grepTool, { pattern: '' })).toContain('empty');
    execFileSync('mkfifo', [bench.path('pipe')]);
    expect(await bench.say(grepTool, { pattern: 'x', path: 'pipe' })).toContain("can't be searched");
  });

  it('SF-14: without ripgrep it reports that; with rg on the PATH it works', async () => {
    const bench = await withTree();
    const started: string[] = [];
    const only = (usable: (file: string) => boolean) => ({
      ...nodeProcesses,
      start: (command: ProcessCommand) => {
        started.push(command.file);
        return nodeProcesses.start({ ...command, file: usable(command.file) ? realRg : '/nowhere/rg' });
      },
    });
    const { rgPath: realRg } = await import('@vscode/ripgrep');
    const bin = await scratchFolder();
    const rg = join(bin, 'rg');
    writeFileSync(rg, '', { mode: 0o755 });
    const env = { ...bench.context.host.env, PATH: bin };
    const host = (usable: (file: string) => boolean) => ({
      host: { ...bench.context.host, env, processes: only(usable) },
    });
    expect(
      await bench.say(
        grepTool,
        { pattern: 'needle' },
        host(() => false),
      ),
    ).toContain('ripgrep is not available');
    expect(started).toEqual([realRg, rg]);
    expect(
      await bench.say(
        grepTool,
        { pattern: 'needle', type: 'js' },
        host((file) => file === rg),
      ),
    ).toBe('src/d.js');
  });

  it('LC-2 SF-14: Glob and Grep end with their process when aborted', async () => {
    const bench = await makeBench();
    mkdirSync(bench.path('slow'));
    const mark = `needle${process.pid}`;
    // Stands in for a search that takes for ever.
    const processes = {
      ...nodeProcesses,
      start: (command: ProcessCommand) =>
        nodeProcesses.start({ ...command, file: 'bash', args: ['-c', `sleep 300; : ${mark}`] }),
    };
    for (const [tool, input] of [
      [globTool, { pattern: '*' }],
      [grepTool, { pattern: 'x' }],
    ] as const) {
      const stop = new AbortController();
      const running = bench.say(tool, input, { host: { ...bench.context.host, processes }, signal: stop.signal });
      while (processesWith(mark).length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
      stop.abort();
      expect(await running).toContain('interrupted');
      expect(processesWith(mark)).toEqual([]);
      expect(await bench.say(tool, input, { signal: AbortSignal.abort() })).toContain('interrupted');
    }
  });
});
