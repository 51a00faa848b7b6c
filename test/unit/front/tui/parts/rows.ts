/** The properties of every row, whatever it was made from. */

import { expect } from 'vitest';
import { widthOf } from '../../../../../src/front/tui/screen/width.js';
import { type ColourLevel, chooseTheme } from '../../../../../src/front/tui/theme/choose-theme.js';
import fc from '../../../../support/fast-check.js';

export const themeOf = (level: ColourLevel) => chooseTheme({ level, background: 'dark' });
export const NO_COLOURS = themeOf(0);

// biome-ignore-start lint/suspicious/noControlCharactersInRegex: finding control characters is the point.
const CODES = /\u001b\[[\d;]*m/g;
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]/;
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: finding control characters is the point.

export const plain = (rows: readonly string[]): string[] => rows.map((row) => row.replace(CODES, ''));

export function expectSound(rows: readonly string[], width: number): void {
  for (const row of rows) {
    expect(widthOf(row), JSON.stringify(row)).toBeLessThanOrEqual(width);
    expect(row.replace(CODES, ''), JSON.stringify(row)).not.toMatch(CONTROLS);
    expect(leftOpen(row), JSON.stringify(row)).toEqual([]);
  }
}

function leftOpen(row: string): string[] {
  const open = new Set<string>();
  for (const [code] of row.matchAll(CODES)) {
    const number = Number(/\d+/.exec(code)?.[0]);
    if (number === 0) open.clear();
    else if (CLOSERS[number] !== undefined) open.delete(CLOSERS[number]);
    else open.add(KINDS[number] ?? 'colour');
  }
  return [...open];
}

const KINDS: Readonly<Record<number, string>> = {
  1: 'weight',
  2: 'weight',
  3: 'italic',
  4: 'under',
  7: 'inverse',
  9: 'strike',
};
const CLOSERS: Readonly<Record<number, string>> = {
  22: 'weight',
  23: 'italic',
  24: 'under',
  27: 'inverse',
  29: 'strike',
  39: 'colour',
};

const PIECES = [
  'word',
  'a rather long word-with-hyphens',
  ' ',
  '  ',
  '    ',
  '\n',
  '\n\n',
  '\t',
  '# ',
  '## Head',
  '> ',
  '- ',
  '1. ',
  '20) ',
  '- [x] ',
  '```ts\n',
  '```',
  '~~~',
  '| a | b |\n|---|--:|\n',
  '| c | d |',
  '|',
  '**',
  '*',
  '_',
  '~~',
  '`',
  '[text](https://example.com/a)',
  '[',
  '](',
  '![i](x.png)',
  '<b>',
  '<br>',
  '&amp;',
  '\\',
  '---',
  '===',
  'const a = 1; // x',
  '日本語の文章',
  'שלום עולם',
  'مرحبا',
  '👩\u200d👩\u200d👧',
  '👍🏽',
  '🇩🇪',
  'cafe\u0301',
  'می\u200cخواهم',
  'ｆｕｌｌ',
  '\u001b[2J',
  '\u001b]8;;http://evil\u0007x',
  '\u001b[31m',
  '\u009b1m',
  '\u202e',
  '\u0007',
  '\r',
  '\u0000',
  'x'.repeat(90),
];

/** Text with all of Markdown in it, meaningful or not, and unsafe characters. */
export const markdown = fc
  .array(
    fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(...PIECES) },
      { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
    ),
    {
      maxLength: 60,
    },
  )
  .map((pieces) => pieces.join(''));

/** The same text, split anywhere. */
export function cutUp(text: string, places: readonly number[]): string[] {
  const ends = [...new Set(places.map((place) => place % (text.length + 1)))].sort((a, b) => a - b);
  return [...ends, text.length].map((end, index) => text.slice(index === 0 ? 0 : ends[index - 1], end));
}
