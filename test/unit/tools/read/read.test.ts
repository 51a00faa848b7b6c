import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { PDFDocument } from '@cantoo/pdf-lib';
import { describe, expect, it } from 'vitest';
import { readTool } from '../../../../src/tools/read/read.js';
import fc from '../../../support/fast-check.js';
import { makeBench } from '../tool-bench.js';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe('SF-14: Read gives text with line numbers', () => {
  it('SF-14: whole, by range, past the end, empty', async () => {
    const bench = await makeBench();
    await bench.write('a.txt', 'one\ntwo\r\nthree\n\nfive');
    expect(await bench.say(readTool, { file_path: 'a.txt' })).toBe(
      '     1\tone\n     2\ttwo\n     3\tthree\n     4\t\n     5\tfive',
    );
    expect(await bench.say(readTool, { file_path: bench.path('a.txt'), offset: 2, limit: 2 })).toBe(
      '     2\ttwo\n     3\tthree\n(lines 2 to 3 of 5; continue with offset 4)',
    );
    expect(await bench.say(readTool, { file_path: 'a.txt', offset: 9 })).toContain('has 5 lines; there is no line 9');
    await bench.write('empty', '');
    expect(await bench.say(readTool, { file_path: 'empty' })).toBe(`(${bench.path('empty')} exists and is empty)`);
    await bench.write('home-file', 'x');
    const home = { host: { ...bench.context.host, env: { HOME: bench.root } } };
    expect(await bench.say(readTool, { file_path: '~/home-file' }, home)).toBe('     1\tx');
  });

  it('SF-14: long lines and long files are cut, and the cut is noted', async () => {
    const bench = await makeBench();
    await bench.write('wide', `${'é'.repeat(2500)}\nnext\n`);
    const wide = await bench.say(readTool, { file_path: 'wide' });
    expect(wide).toBe(`     1\t${'é'.repeat(2000)}… (line cut: 5000 bytes)\n     2\tnext`);
    await bench.write('tall', Array.from({ length: 2500 }, (_, i) => `${i + 1}`).join('\n'));
    expect(await bench.say(readTool, { file_path: 'tall' })).toMatch(
      / 2000\t2000\n\(lines 1 to 2000 of 2500; continue with offset 2001\)$/,
    );
    await bench.write('heavy', `${'x'.repeat(1000)}\n`.repeat(1000));
    const heavy = await bench.say(readTool, { file_path: 'heavy' });
    expect(heavy.length).toBeLessThan(101_000);
    expect(heavy).toMatch(/of 1000; continue with offset \d+\)$/);
  });

  it('SF-14: pieces at any border give the same lines', async () => {
    const bench = await makeBench();
    const line = fc.string({ unit: fc.constantFrom('a', 'é', '€', '😀', ' ', '\t'), maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 0, max: 9 }),
        async (lines, shift) => {
          // So much before it that the border between two pieces falls into the lines.
          const filler = `${'x'.repeat(1024 * 1024 - 2 - shift * 3)}\n`;
          await bench.write('border', filler + lines.join('\n'));
          const said = await bench.say(readTool, { file_path: 'border', offset: 2 });
          const expected = lines.at(-1) === '' ? lines.slice(0, -1) : lines;
          if (expected.length === 0) expect(said).toContain('no line 2');
          else expect(said).toBe(expected.map((text, i) => `${String(i + 2).padStart(6)}\t${text}`).join('\n'));
        },
      ),
      { numRuns: 40 },
    );
  });

  it('SF-14: encodings: UTF-8 with mark, UTF-16 both ways, Latin-1', async () => {
    const bench = await makeBench();
    const text = 'Grüße 😀\nzwei\n';
    await bench.write('bom', Buffer.from(`\uFEFF${text}`, 'utf8'));
    await bench.write('le', Buffer.from(`\uFEFF${text}`, 'utf16le'));
    await bench.write('be', Buffer.from(`\uFEFF${text}`, 'utf16le').swap16());
    for (const file_path of ['bom', 'le', 'be']) {
      expect(await bench.say(readTool, { file_path })).toBe('     1\tGrüße 😀\n     2\tzwei');
    }
    await bench.write('latin', Buffer.from('Grüße\n', 'latin1'));
    expect(await bench.say(readTool, { file_path: 'latin' })).toBe(
      '     1\tGrüße\n(the file is not valid UTF-8; shown and edited as Latin-1)',
    );
  });
});

describe('SF-14: Read shows what is not text', () => {
  it('SF-14: images by their content, too big ones refused with what to do', async () => {
    const bench = await makeBench();
    await bench.write('picture.txt', PNG);
    const outcome = await bench.call(readTool, { file_path: 'picture.txt' });
    expect(outcome.content).toEqual([
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG.toString('base64') } },
    ]);
    await bench.write('big.png', Buffer.concat([PNG, Buffer.alloc(5 * 1024 * 1024)]));
    expect(await bench.say(readTool, { file_path: 'big.png' })).toMatch(/bytes; at most[\s\S]*smaller copy/);
    const huge = Buffer.from(PNG);
    huge.writeUInt32BE(9000, 16);
    await bench.write('huge.png', huge);
    expect(await bench.say(readTool, { file_path: 'huge.png' })).toContain('9000×1 pixels');
    const headers: readonly [string, Buffer][] = [
      ['image/gif', Buffer.from('GIF89a\x01\x00\x01\x00', 'latin1')],
      ['image/jpeg', Buffer.from('ffd8ffe000040000ffc0000b08000100010101110000', 'hex')],
      ['image/webp', Buffer.from('RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x00', 'latin1')],
    ];
    for (const [media_type, bytes] of headers) {
      await bench.write('i', bytes);
      expect((await bench.call(readTool, { file_path: 'i' })).content[0]).toMatchObject({
        type: 'image',
        source: { media_type },
      });
    }
  });

  it('SF-14: notebooks by cell, with outputs', async () => {
    const bench = await makeBench();
    const notebook = {
      cells: [
        { cell_type: 'markdown', id: 'm1', metadata: {}, source: ['# Title\n', 'text'] },
        {
          cell_type: 'code',
          metadata: {},
          source: 'print(1)',
          outputs: [
            { output_type: 'stream', name: 'stdout', text: ['1\n'] },
            { output_type: 'display_data', data: { 'image/png': PNG.toString('base64'), 'text/plain': '<Figure>' } },
            { output_type: 'error', ename: 'E', evalue: 'v', traceback: ['\u001b[31mE: v\u001b[0m'] },
          ],
        },
      ],
      nbformat: 4,
      nbformat_minor: 4,
    };
    await bench.write('n.ipynb', JSON.stringify(notebook));
    const { content } = await bench.call(readTool, { file_path: 'n.ipynb' });
    expect(content.map((block) => block.type)).toEqual(['text', 'image', 'text']);
    const text = content.map((block) => (block.type === 'text' ? block.text : '#')).join('\n');
    expect(text).toContain('<cell id="m1" type="markdown">\n# Title\ntext\n</cell>');
    expect(text).toMatch(
      /<cell id="cell-1" type="code">\nprint\(1\)\n<\/cell>\nOutput of cell-1:\n1\n\n<Figure>\n#\nE: v$/,
    );
    await bench.write('bad.ipynb', '{"cells": 3}');
    expect(await bench.say(readTool, { file_path: 'bad.ipynb' })).toContain('not a valid notebook');
    // GT-10: not parsed at all, because that would take the memory of the session.
    await bench.write('many.ipynb', `{"cells":[${'{},'.repeat(3_000_000)}{}]}`);
    expect(await bench.say(readTool, { file_path: 'many.ipynb' })).toContain('more than 3000000 values');
    await bench.write('deep.ipynb', `{"x":"\\"]}[","cells":[],"y":${'['.repeat(600)}${']'.repeat(600)}}`);
    expect(await bench.say(readTool, { file_path: 'deep.ipynb' })).toContain('nested more than 500 levels');
    const images = Array.from({ length: 5_000 }, () => ({ output_type: 'x', data: { 'image/png': 'AAAA' } }));
    await bench.write('images.ipynb', JSON.stringify({ cells: [{ cell_type: 'code', source: '', outputs: images }] }));
    expect(await bench.say(readTool, { file_path: 'images.ipynb' })).toContain('the notebook continues');
  });

  it('SF-14: PDF pages', async () => {
    const bench = await makeBench();
    const pdf = await PDFDocument.create();
    for (let i = 0; i < 25; i++) pdf.addPage([100, 100 + i]);
    await bench.write('d.pdf', await pdf.save());
    expect(await bench.say(readTool, { file_path: 'd.pdf' })).toMatch(/has 25 pages; at most 20.*"pages"/);
    const { content } = await bench.call(readTool, { file_path: 'd.pdf', pages: '2-3,25' });
    const block = content[0];
    if (block?.type !== 'document') throw new Error('no document');
    const part = await PDFDocument.load(Buffer.from(block.source.data, 'base64'));
    expect(part.getPages().map((page) => page.getHeight())).toEqual([101, 102, 124]);
    expect(await bench.say(readTool, { file_path: 'd.pdf', pages: '30' })).toContain('has 25 pages');
    await bench.write('not.pdf', '%PDF-1.7 broken');
    expect((await bench.call(readTool, { file_path: 'not.pdf' })).isError).toBe(true);
    await bench.write('quote.ts', 'const mark = "%PDF-";');
    expect(await bench.say(readTool, { file_path: 'quote.ts' })).toContain('const mark');
  });

  it('SF-14: page lists', async () => {
    const bench = await makeBench();
    const pdf = await PDFDocument.create();
    for (let i = 1; i <= 8; i++) pdf.addPage([100, 100 + i]);
    await bench.write('d.pdf', await pdf.save());
    const { content } = await bench.call(readTool, { file_path: 'd.pdf', pages: '1-3, 2,7-' });
    const block = content[0];
    if (block?.type !== 'document') throw new Error('no document');
    const part = await PDFDocument.load(Buffer.from(block.source.data, 'base64'));
    expect(part.getPages().map((page) => page.getHeight())).toEqual([101, 102, 103, 107, 108]);
    for (const pages of ['', 'a', '0', '3-1', '9', '1-999999999', '1,,2']) {
      const { isError } = await bench.call(readTool, { file_path: 'd.pdf', pages });
      expect(isError, pages).toBe(true);
    }
  });
});

describe('SF-14: Read refuses what is no file', () => {
  it('SF-14: binary, folders, devices, pipes, kernel views', async () => {
    const bench = await makeBench();
    await bench.write('bin', Buffer.from([1, 2, 0, 4]));
    expect(await bench.say(readTool, { file_path: 'bin' })).toContain('binary file (4 bytes)');
    mkdirSync(bench.path('folder'));
    expect(await bench.say(readTool, { file_path: 'folder' })).toContain('is a folder');
    execFileSync('mkfifo', [bench.path('pipe')]);
    symlinkSync('/dev/zero', bench.path('zero'));
    for (const file_path of [
      'pipe',
      'zero',
      '/dev/zero',
      '/dev/stdin',
      '/dev/tty',
      '/proc/self/environ',
      '/proc/self/root/etc/passwd',
    ]) {
      const outcome = await bench.call(readTool, { file_path });
      expect(outcome.isError, file_path).toBe(true);
    }
  });

  it('SF-14: a missing file names its neighbours', async () => {
    const bench = await makeBench();
    await bench.write('src/index.ts', '');
    expect(await bench.say(readTool, { file_path: 'src/indx.ts' })).toContain(
      'does not exist. Similar names in that folder: index.ts',
    );
    expect(await bench.say(readTool, { file_path: 'nowhere/x' })).toContain('nowhere does not exist either');
    expect(await bench.say(readTool, { file_path: 'src/index.ts/x' })).toContain('is a file, not a folder');
  });

  it('GT-7 SF-14: a path that leads elsewhere than was judged is not opened', async () => {
    const bench = await makeBench();
    await bench.write('real', 'mine');
    symlinkSync(bench.path('real'), bench.path('link'));
    const judged = new Map([[bench.path('link'), bench.path('other')]]);
    expect(await bench.say(readTool, { file_path: 'link' }, { judged })).toContain('pointed to');
    judged.set(bench.path('link'), bench.path('real'));
    expect(await bench.say(readTool, { file_path: 'link' }, { judged })).toBe('     1\tmine');
  });

  it('LC-2 SF-14: ends when it is aborted', async () => {
    const bench = await makeBench();
    await bench.write('a', 'x');
    const before = AbortSignal.abort();
    expect(await bench.say(readTool, { file_path: 'a' }, { signal: before })).toContain('interrupted');
    await bench.write('big', Buffer.alloc(300 * 1024 * 1024, 'line\n'));
    const stop = new AbortController();
    const running = bench.say(readTool, { file_path: 'big' }, { signal: stop.signal });
    setTimeout(() => stop.abort(), 20);
    expect(await running).toContain('interrupted');
    expect(bench.context.files.get(bench.path('big'))).toBeUndefined();
  });
});
