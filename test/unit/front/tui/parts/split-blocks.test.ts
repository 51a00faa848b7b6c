import { describe, expect, it } from 'vitest';
import { textRows } from '../../../../../src/front/tui/parts/item-rows.js';
import { renderMarkdown } from '../../../../../src/front/tui/parts/markdown/render-markdown.js';
import { BlockSplitter } from '../../../../../src/front/tui/parts/markdown/split-blocks.js';
import { ReplyRows } from '../../../../../src/front/tui/parts/reply-rows.js';
import fc from '../../../../support/fast-check.js';
import { cutUp, expectSound, markdown, NO_COLOURS, themeOf } from './rows.js';

function split(pieces: readonly string[]): string[] {
  const splitter = new BlockSplitter();
  return [...pieces.flatMap((piece) => splitter.push(piece)), ...splitter.end()];
}

const LINES = (count: number, line: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => line(index));

describe('BlockSplitter', () => {
  it('TU-1: blocks are emitted when complete, and the rest is pending', () => {
    const splitter = new BlockSplitter();
    expect(splitter.push('# Ti')).toEqual([]);
    expect(splitter.tail).toBe('# Ti');
    expect(splitter.push('tle\n\nfirst\nsecond')).toEqual(['# Title']);
    expect(splitter.tail).toBe('\nfirst\nsecond');
    expect(splitter.push('\n\n```ts\na\n\nb')).toEqual(['\nfirst\nsecond']);
    expect(splitter.tail).toBe('\n```ts\na\n\nb');
    expect(splitter.push('\n```\n- one\n\n- two\n')).toEqual(['\n```ts\na\n\nb\n```']);
    expect(splitter.push('\nafter')).toEqual([]);
    expect(splitter.push('\n')).toEqual(['- one\n\n- two']);
    expect(splitter.end()).toEqual(['\nafter']);
    expect(splitter.tail).toBe('');
  });

  it.each([
    ['code', ['```ts', ...LINES(2_000, (index) => `const a${index} = ${index};`)]],
    ['code in a list', ['- item', '', '  ```ts', ...LINES(2_000, (index) => `  const a${index} = ${index};`)]],
    ['a list', LINES(2_000, (index) => `- item ${index}`)],
    ['a nested list', LINES(2_000, (index) => `${index % 3 === 0 ? '' : '  '}- item ${index}`)],
    ['a table', ['| a | b |', '|---|---|', ...LINES(2_000, (index) => `| ${index} | x |`)]],
    ['a paragraph', LINES(2_000, (index) => `line ${index}`)],
    ['a quote', LINES(2_000, (index) => `> line ${index}`)],
    ['one line', [LINES(20_000, (index) => `word${index}`).join(' ')]],
  ])('TU-1: little of a long text waits: %s', (_, lines) => {
    const splitter = new BlockSplitter();
    const text = lines.join('\n');
    const blocks: string[] = [];
    let longest = 0;
    for (const piece of text.match(/[\s\S]{1,37}/g) ?? []) {
      blocks.push(...splitter.push(piece));
      longest = Math.max(longest, splitter.tail.length);
    }
    blocks.push(...splitter.end());
    expect(longest).toBeLessThan(12_500);
    expect(blocks.length).toBeGreaterThan(10);
    // Every line is there, once: in its place, between the lines repeated for each part.
    const words = (from: string) => from.match(/(?:a|item |line |word|\| )\d+/g);
    expect(words(blocks.join('\n'))).toEqual(words(text));
  });

  it('TU-2: parts of long code are code of its language, next to each other', () => {
    const blocks = split([['```ts', ...LINES(100, (index) => `a${index}`), '```', 'after'].join('\n')]);
    expect(blocks.slice(0, -1).every((block) => block.startsWith('```ts\n') && block.endsWith('\n```'))).toBe(true);
    const rows = blocks.flatMap((block) => renderMarkdown(block, { width: 40, theme: NO_COLOURS }));
    expect(rows).toEqual([...LINES(100, (index) => `  a${index}`), 'after']);
  });

  it('TU-2: a fence within a list, or with others within, ends where it ends', () => {
    expect(split(['- a\n\n  ```sh\n  x\n\n  - no item\n  ```\n- b\n\ntext'])).toEqual([
      '- a\n\n  ```sh\n  x\n\n  - no item\n  ```\n- b',
      '\ntext',
    ]);
    expect(split(['````md\n```ts\n\n```\n````\nx'])).toEqual(['````md\n```ts\n\n```\n````', 'x']);
    expect(split(['~~~\n```\n\n~~~\n\ny'])).toEqual(['~~~\n```\n\n~~~', '\ny']);
  });

  it('TU-1: the output does not depend on how the text is split', () => {
    const long = fc.tuple(
      markdown,
      fc.constantFrom('```js\n', '- a\n', '|a|\n|-|\n', '> ', ''),
      fc.integer({ max: 90, min: 0 }),
    );
    fc.assert(
      fc.property(long, fc.array(fc.nat(), { maxLength: 12 }), ([text, head, count], places) => {
        const whole = `${text}\n\n${head}${`${text.slice(0, 40)}\n`.repeat(count)}`;
        const blocks = split([whole]);
        expect(split(cutUp(whole, places))).toEqual(blocks);
        expect(split(whole.split(''))).toEqual(blocks);
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    ['words', 'word '.repeat(3_000)],
    ['joined characters', '👩\u200d👩\u200d👧'.repeat(1_500)],
    ['marks', `e${'\u0301'.repeat(9_000)}`],
  ])('TU-1: a long line is cut at the same places, whatever pieces it comes in: %s', (_, line) => {
    const blocks = split([line]);
    expect(blocks.length).toBeGreaterThan(1);
    expect(split(line.split(''))).toEqual(blocks);
    expect(split(line.match(/[\s\S]{1,3999}/g) ?? [])).toEqual(blocks);
    expect(blocks.join('').replace(/\s/g, '')).toBe(line.replace(/\s/g, ''));
    if (line.startsWith('👩')) expect(blocks.join('\n').replaceAll('👩\u200d👩\u200d👧', '').trim()).toBe('');
  });

  it('TU-1: the rows of a split text are the rows of the whole', () => {
    fc.assert(
      fc.property(
        markdown,
        fc.array(fc.nat(), { maxLength: 12 }),
        fc.integer({ min: 1, max: 80 }),
        (text, places, width) => {
          const options = { width, theme: themeOf(8) };
          const reply = new ReplyRows();
          const rows = cutUp(text, places).flatMap((piece) => {
            const final = reply.push(piece, options);
            expectSound(reply.tail(options), width);
            return final;
          });
          rows.push(...reply.end(options));
          expect(rows).toEqual(textRows(text, options));
          expectSound(rows, width);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('TU-2: only the first row of a reply has the mark, and the next reply has its own', () => {
    const options = { width: 40, theme: NO_COLOURS };
    const reply = new ReplyRows();
    expect(reply.tail(options)).toEqual([]);
    expect(reply.push('one\n\ntw', options)).toEqual(['● one']);
    expect(reply.tail(options)).toEqual(['', '  tw']);
    expect(reply.end(options)).toEqual(['', '  tw']);
    expect(reply.end(options)).toEqual([]);
    expect(reply.push('next\n\n', options)).toEqual(['● next']);
  });
});
