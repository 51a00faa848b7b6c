import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, it } from 'vitest';
import { editTool } from '../../../../src/tools/edit/edit.js';
import { findMatches, replaceMatches } from '../../../../src/tools/edit/edit-match.js';
import { writeTool } from '../../../../src/tools/edit/write.js';
import { readTool } from '../../../../src/tools/read/read.js';
import { decodeText, encodeText } from '../../../../src/tools/read/text-encoding.js';
import fc from '../../../support/fast-check.js';
import { type Bench, makeBench } from '../tool-bench.js';

async function withFile(content: string | Uint8Array): Promise<Bench> {
  const bench = await makeBench();
  await bench.write('f', content);
  await bench.call(readTool, { file_path: 'f' });
  return bench;
}

const edit = (bench: Bench, old_string: string, new_string: string, more: object = {}) =>
  bench.call(editTool, { file_path: 'f', old_string, new_string, ...more });
const editSaying = (bench: Bench, old_string: string, new_string: string, more: object = {}) =>
  bench.say(editTool, { file_path: 'f', old_string, new_string, ...more });

describe('SF-14: Write', () => {
  it('SF-14: makes missing parent folders and a new file with the usual mode', async () => {
    const bench = await makeBench();
    expect(await bench.say(writeTool, { file_path: 'a/b/c.txt', content: 'x\ny\n' })).toBe(
      `Created ${bench.path('a/b/c.txt')} (2 lines).`,
    );
    expect(bench.read('a/b/c.txt')).toBe('x\ny\n');
    expect(statSync(bench.path('a/b/c.txt')).mode & 0o777).toBe(0o666 & ~process.umask());
    expect(readdirSync(bench.path('a/b'))).toEqual(['c.txt']);
    expect((await bench.call(writeTool, { file_path: 'a/b/c.txt', content: 'again' })).isError).toBe(false);
  });

  it('SF-14: read before write is enforced; a changed file is not overwritten', async () => {
    const bench = await makeBench();
    await bench.write('f', 'theirs');
    expect(await bench.say(writeTool, { file_path: 'f', content: 'mine' })).toContain('has not been read');
    await bench.call(readTool, { file_path: 'f' });
    const { mtimeMs } = statSync(bench.path('f'));
    writeFileSync(bench.path('f'), 'edited');
    utimesSync(bench.path('f'), mtimeMs / 1000, mtimeMs / 1000);
    expect(await bench.say(writeTool, { file_path: 'f', content: 'mine' })).toContain('has changed since it was read');
    expect(bench.read('f')).toBe('edited');
  });

  it('SF-14: a file that was only touched is no conflict; its mode is preserved', async () => {
    const bench = await withFile('#!/bin/sh\n');
    chmodSync(bench.path('f'), 0o751);
    utimesSync(bench.path('f'), 1, 1);
    expect((await bench.call(writeTool, { file_path: 'f', content: 'new' })).isError).toBe(false);
    expect(statSync(bench.path('f')).mode & 0o777).toBe(0o751);
  });

  it('SF-14: preserves byte order mark, UTF-16, Latin-1 and CRLF', async () => {
    for (const encoding of ['utf-8-bom', 'utf-16le', 'utf-16be', 'latin1'] as const) {
      const bench = await withFile(encodeText('alt ü\r\n', encoding) ?? '');
      await bench.call(writeTool, { file_path: 'f', content: 'neu ä\nzwei\n' });
      expect(decodeText(readFileSync(bench.path('f'))), encoding).toEqual({ text: 'neu ä\r\nzwei\r\n', encoding });
    }
  });

  it('SF-14: a mark in the content is not doubled', async () => {
    const bench = await withFile(encodeText('old', 'utf-8-bom') ?? '');
    await bench.call(writeTool, { file_path: 'f', content: '\uFEFFnew' });
    expect(bench.read('f')).toBe('\uFEFFnew');
  });

  it('GT-7 SF-14: writes through a link to its target, refuses dangling links, hard links, folders, pipes', async () => {
    const bench = await withFile('old');
    symlinkSync('f', bench.path('link'));
    expect((await bench.call(writeTool, { file_path: 'link', content: 'new' })).isError).toBe(false);
    expect(bench.read('f')).toBe('new');
    expect(readdirSync(bench.root).sort()).toEqual(['f', 'link']);

    symlinkSync(`${bench.outside}/new`, bench.path('dangling'));
    symlinkSync(`${bench.outside}/deep`, bench.path('way'));
    for (const file_path of ['dangling', 'way/x']) {
      expect(await bench.say(writeTool, { file_path, content: 'x' })).toContain("doesn't exist");
    }
    writeFileSync(`${bench.outside}/secret`, 'secret');
    linkSync(`${bench.outside}/secret`, bench.path('hard'));
    await bench.call(readTool, { file_path: 'hard' });
    expect(await bench.say(writeTool, { file_path: 'hard', content: 'x' })).toContain('hard links');
    mkdirSync(bench.path('folder'));
    expect(await bench.say(writeTool, { file_path: 'folder', content: 'x' })).toContain('is a folder');
    execFileSync('mkfifo', [bench.path('pipe')]);
    expect(await bench.say(writeTool, { file_path: 'pipe', content: 'x' })).toContain(
      "is a device, pipe or socket and can't be edited",
    );
    expect(await bench.say(writeTool, { file_path: 'f/x', content: 'x' })).toMatch(/file, not a folder|already/);
    expect(readdirSync(bench.outside)).toEqual(['secret']);
    expect(readFileSync(`${bench.outside}/secret`, 'utf8')).toBe('secret');
  });

  it('GT-7 SF-14: a path that leads elsewhere than was judged is not written', async () => {
    const bench = await makeBench();
    mkdirSync(bench.path('real'));
    symlinkSync(bench.outside, bench.path('swapped'));
    const judged = new Map([[bench.path('swapped/x'), bench.path('real/x')]]);
    expect(await bench.say(writeTool, { file_path: 'swapped/x', content: '' }, { judged })).toContain('pointed to');
    expect(readdirSync(bench.outside)).toEqual([]);
  });

  it('LC-2 SF-14: writes nothing after an abort', async () => {
    const bench = await makeBench();
    expect(await bench.say(writeTool, { file_path: 'f', content: 'x' }, { signal: AbortSignal.abort() })).toContain(
      'interrupted',
    );
    expect(existsSync(bench.path('f'))).toBe(false);
  });
});

describe('SF-14: Edit', () => {
  it('SF-14: Edit must match once', async () => {
    const bench = await withFile('let a = 1;\nlet b = 1;\nlet c = 2;\n');
    expect(await editSaying(bench, '= 1', '= 3')).toMatch(/occurs 2 times in .*, at lines 1, 2\. Give more/);
    expect(await editSaying(bench, 'let b = 1', 'let b = 3')).toBe(
      `Edited ${bench.path('f')}. New content:\n     1\tlet a = 1;\n     2\tlet b = 3;\n     3\tlet c = 2;`,
    );
    expect(await editSaying(bench, 'let', 'var', { replace_all: true })).toContain('3 occurrences');
    expect(bench.read('f')).toBe('var a = 1;\nvar b = 3;\nvar c = 2;\n');
    expect(await editSaying(bench, 'x', 'x')).toContain('are identical');
  });

  it('SF-14: $ and other replacement patterns are plain text', async () => {
    const bench = await withFile('price: X\n');
    await edit(bench, 'X', "$& $1 $' $$");
    expect(bench.read('f')).toBe("price: $& $1 $' $$\n");
  });

  it('SF-14: explains why nothing matched', async () => {
    const bench = await withFile('function alpha() {\n\treturn "x";\n}\n');
    expect(await editSaying(bench, '    return "x";', 'y')).toMatch(
      /different white space or quotes is at line 2[\s\S]*→return "x";/,
    );
    expect(await editSaying(bench, 'return “x”;', 'y')).toContain('is at line 2');
    expect(await editSaying(bench, '     1\tfunction alpha() {', 'y')).toContain('line numbers that Read adds');
    expect(await editSaying(bench, 'function alpka() {', 'y')).toContain('nearest line is 1: "function alpha() {"');
    expect(await editSaying(bench, 'zzzzzzzz', 'y')).toContain('contains nothing similar');
  });

  it('SF-14: CRLF is matched by \\n and kept; mixed endings stay as they are', async () => {
    const bench = await withFile('a\r\nb\r\nc\r\n');
    expect((await edit(bench, 'a\nb\n', 'x\ny\nz\n')).isError).toBe(false);
    expect(bench.read('f')).toBe('x\r\ny\r\nz\r\nc\r\n');
    await edit(bench, 'c', 'c\nd');
    expect(bench.read('f')).toBe('x\r\ny\r\nz\r\nc\r\nd\r\n');
    const mixed = await withFile('a\r\nb\nc\nd\r\n');
    await edit(mixed, 'b\nc', 'b\n2\nc');
    expect(mixed.read('f')).toBe('a\r\nb\n2\nc\nd\r\n');
  });

  it('SF-14: what is not replaced stays byte for byte, in any mix of line endings', () => {
    const piece = fc.constantFrom('a', 'b', '\n', '\r\n', '\r', 'MARK');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.array(piece, { maxLength: 30 }), (before, after) => {
        const [head, tail] = [before.join('').replaceAll('MARK', 'm'), after.join('').replaceAll('MARK', 'm')];
        const text = `${head}MARK${tail}`;
        const matches = findMatches(text, 'MARK');
        expect(matches).toEqual([{ start: head.length, end: head.length + 4 }]);
        expect(replaceMatches(text, matches, 'new').text).toBe(`${head}new${tail}`);
      }),
    );
  });

  it('SF-14: encodings and mode are preserved', async () => {
    for (const encoding of ['utf-8-bom', 'utf-16le', 'utf-16be', 'latin1'] as const) {
      const bench = await withFile(encodeText('eins ü\r\nzwei\r\n', encoding) ?? '');
      chmodSync(bench.path('f'), 0o640);
      expect((await edit(bench, 'ü\nzwei', 'ö\ndrei')).isError, encoding).toBe(false);
      expect(decodeText(readFileSync(bench.path('f')))).toEqual({ text: 'eins ö\r\ndrei\r\n', encoding });
      expect(statSync(bench.path('f')).mode & 0o777).toBe(0o640);
    }
    const latin = await withFile(Buffer.from('ü', 'latin1'));
    expect(await editSaying(latin, 'ü', '€')).toContain('Latin-1');
  });

  it('SF-14: any bytes survive decoding and encoding', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const decoded = decodeText(Buffer.from(bytes));
        if (decoded === undefined) return;
        expect(encodeText(decoded.text, decoded.encoding)).toEqual(Buffer.from(bytes));
      }),
      { examples: [[Uint8Array.of(0xff, 0xfe, 0xff, 0xfe)], [Uint8Array.of(0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf)]] },
    );
  });

  it('SF-14: an empty old_string makes a new file, fills an empty one, touches no other', async () => {
    const bench = await makeBench();
    const made = await bench.call(editTool, { file_path: 'n/new', old_string: '', new_string: 'hello\n' });
    expect(made.isError).toBe(false);
    expect(bench.read('n/new')).toBe('hello\n');
    expect(await bench.say(editTool, { file_path: 'n/new', old_string: '', new_string: 'x' })).toContain('not empty');
    expect(await bench.say(editTool, { file_path: 'none', old_string: 'a', new_string: 'x' })).toContain(
      'does not exist',
    );
    const empty = await withFile('');
    await edit(empty, '', 'filled');
    expect(empty.read('f')).toBe('filled');
  });

  it('SF-14: read before edit is enforced; a file changed since is not overwritten; binary is refused', async () => {
    const bench = await makeBench();
    await bench.write('f', 'a');
    expect(await editSaying(bench, 'a', 'b')).toContain('has not been read');
    await bench.call(readTool, { file_path: 'f' });
    await bench.write('f', 'a and more');
    expect(await editSaying(bench, 'a and', 'b')).toContain('changed since');
    expect(bench.read('f')).toBe('a and more');
    expect(
      await bench.say(editTool, { file_path: 'f', old_string: 'a', new_string: 'b' }, { signal: AbortSignal.abort() }),
    ).toContain('interrupted');
  });

  it('SF-14: concurrent edits of one file lose none', async () => {
    const names = Array.from({ length: 20 }, (_, i) => `slot${i}.`);
    const bench = await withFile(`${names.join('\n')}\n`);
    symlinkSync('f', bench.path('same'));
    const edits = names.map((name, i) =>
      bench.call(editTool, { file_path: i % 2 === 0 ? 'f' : 'same', old_string: name, new_string: `done${i}.` }),
    );
    expect((await Promise.all(edits)).map((outcome) => outcome.isError)).toEqual(names.map(() => false));
    expect(bench.read('f')).toBe(`${names.map((_, i) => `done${i}.`).join('\n')}\n`);
  });

  it('SF-14: of two agents that read the same version, the second is notified of the change', async () => {
    const bench = await withFile('one\ntwo\n');
    const other = { files: bench.context.files.clone() };
    const outcomes = await Promise.all([
      edit(bench, 'one', '1'),
      bench.call(editTool, { file_path: 'f', old_string: 'two', new_string: '2' }, other),
    ]);
    expect(outcomes.map((outcome) => outcome.isError).sort()).toEqual([false, true]);
    expect(bench.read('f')).toBe(outcomes[0]?.isError === true ? 'one\n2\n' : '1\ntwo\n');
  });

  it('SF-14: a long change is shown in part', async () => {
    const bench = await withFile('x\n');
    const said = await editSaying(bench, 'x', Array.from({ length: 200 }, (_, i) => `l${i}`).join('\n'));
    expect(said).toContain('more lines)');
    expect(said.split('\n').length).toBeLessThan(70);
    const emptied = await withFile('all');
    expect(await editSaying(emptied, 'all', '')).toContain('empty now');
  });
});
