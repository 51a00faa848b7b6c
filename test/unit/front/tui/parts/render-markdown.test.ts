import { describe, expect, it } from 'vitest';
import { renderMarkdown } from '../../../../../src/front/tui/parts/markdown/render-markdown.js';
import fc from '../../../../support/fast-check.js';
import { expectSound, markdown, NO_COLOURS, plain, themeOf } from './rows.js';

const render = (text: string, width = 60) => renderMarkdown(text, { width, theme: NO_COLOURS });
const coloured = (text: string, width = 60) => renderMarkdown(text, { width, theme: themeOf(24) });

describe('renderMarkdown', () => {
  it('TU-2: headings, paragraphs and inline elements', () => {
    expect(render('# Title\n\nSome **bold**, *slanted*, ~~gone~~ and `code`.\nNext line  \nlast')).toEqual([
      '# Title',
      '',
      'Some **bold**, *slanted*, ~~gone~~ and `code`.',
      'Next line',
      'last',
    ]);
    const [row = ''] = coloured('**bold** *slanted* ~~gone~~ `code`');
    expect(plain([row])).toEqual(['bold slanted gone code']);
    for (const code of ['[1m', '[3m', '[9m', '[38;2;']) expect(row).toContain(code);
  });

  it('TU-2: lists keep their levels, numbers and boxes', () => {
    const text = '- one\n  - two long words here\n    1. three\n- [x] done\n- [ ] open\n\n3. c\n4. d';
    expect(render(text, 20)).toEqual([
      '- one',
      '  - two long words',
      '    here',
      '    1. three',
      '- [x] done',
      '- [ ] open',
      '',
      '3. c',
      '4. d',
    ]);
  });

  it('TU-2: quotes, rules, tags and entities', () => {
    expect(render('> said\n> twice\n>> deeper')).toEqual(['│ said', '│ twice', '│ │ deeper']);
    expect(render('***')[0]).toMatch(/^─+$/);
    expect(render('<div onclick="x">a &amp; b</div>')).toEqual(['<div onclick="x">a &amp; b</div>']);
    expect(render('a &lt;b&gt; &#27;[2J &#x1b; <i>x</i>')).toEqual(['a <b> <i>x</i>']);
  });

  it('TU-30: links show their target, whatever their text is', () => {
    expect(render('[our bank](https://evil.example/x)')).toEqual(['our bank (https://evil.example/x)']);
    expect(render('[https://bank.example](https://evil.example)')).toEqual([
      'https://bank.example (https://evil.example)',
    ]);
    expect(render('<https://a.example> and https://b.example.')).toEqual(['https://a.example and https://b.example.']);
    expect(render('![cat](http://x.example/c.png)')).toEqual(['[image: cat] (http://x.example/c.png)']);
    expect(render('[text][ref]\n\n[ref]: https://evil.example')).toEqual([
      '[text][ref]',
      '',
      '[ref]: https://evil.example',
    ]);
    for (const level of [4, 8, 24] as const) {
      const rows = renderMarkdown('[a](https://evil.example)', { width: 60, theme: themeOf(level) });
      expect(plain(rows)).toEqual(['a (https://evil.example)']);
      expect(rows.join('')).not.toContain('\u001b]');
    }
  });

  it('TU-2: code keeps its spaces, with colours by its language', () => {
    const text = '```ts\nconst a = 1;\n\n  return a;\n```';
    expect(render(text)).toEqual(['  const a = 1;', '', '    return a;']);
    const rows = coloured(text);
    expect(plain(rows)).toEqual(render(text));
    expect(rows[0]).toMatch(/\[38;2;[\d;]+mconst/);
    expect(render('```\nabcdefghij\n```', 8)).toEqual(['  abcdef', '  ghij']);
    expect(render('    indented\n      more')).toEqual(['  indented', '    more']);
    expect(render('```py\nopen')).toEqual(['  open']);
  });

  it('TU-2: a table fits: in columns, with cells of several rows, or one cell per line', () => {
    const text = '| name | what it does | n |\n|---|:--:|--:|\n| a | many words in one cell | 10 |\n| b | 日本 | 2 |';
    expect(render(text)).toEqual([
      'name │      what it does      │  n',
      '─────┼────────────────────────┼───',
      'a    │ many words in one cell │ 10',
      'b    │          日本          │  2',
    ]);
    expect(render(text, 24)).toEqual([
      'name │ what it does │  n',
      '─────┼──────────────┼───',
      'a    │  many words  │ 10',
      '     │ in one cell  │',
      'b    │     日本     │  2',
    ]);
    expect(render(text, 16)).toEqual([
      'name: a',
      'what it does:',
      'many words in',
      'one cell',
      'n: 10',
      '────────',
      'name: b',
      'what it does: 日',
      '本',
      'n: 2',
    ]);
  });

  it('TU-32: wide and joined characters and other directions stay whole', () => {
    expect(render('日本語の文章', 4)).toEqual(['日本', '語の', '文章']);
    expect(render('👩\u200d👩\u200d👧👩\u200d👩\u200d👧', 2)).toEqual(['👩\u200d👩\u200d👧', '👩\u200d👩\u200d👧']);
    expect(render('e\u0301'.repeat(6), 3)).toEqual(['e\u0301'.repeat(3), 'e\u0301'.repeat(3)]);
    expect(render('שלום עולם', 5)).toEqual(['שלום', 'עולם']);
    expect(render('می\u200cخواهم')).toEqual(['می\u200cخواهم']);
  });

  it('GT-20, TU-1: any text at any width gives rows that fit, close their codes and control nothing', () => {
    fc.assert(
      fc.property(
        markdown,
        fc.integer({ min: 1, max: 100 }),
        fc.constantFrom<0 | 4 | 8 | 24>(0, 4, 8, 24),
        (text, width, level) => {
          expectSound(renderMarkdown(text, { width, theme: themeOf(level) }), width);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('TU-2: no word of prose is lost', () => {
    const words = fc.array(fc.stringMatching(/^[a-z日本של]{1,30}$/), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(words, fc.integer({ min: 4, max: 60 }), (said, width) => {
        expect(render(said.join(' '), width).join('').replaceAll(' ', '')).toBe(said.join(''));
      }),
    );
  });

  it.each([
    ['quotes', '>'.repeat(100_000)],
    ['quotes with spaces', '> '.repeat(50_000)],
    ['brackets', '['.repeat(100_000)],
    ['brackets with words', '[a '.repeat(50_000)],
    ['pictures', '![a]('.repeat(20_000)],
    ['lists', '- '.repeat(50_000)],
    ['lists by depth', Array.from({ length: 400 }, (_, depth) => `${'  '.repeat(depth)}- x`).join('\n')],
    ['stars', '*a **b '.repeat(20_000)],
    ['underscores', '_a'.repeat(100_000)],
    ['ticks', '`a``'.repeat(50_000)],
    ['tags', '<a '.repeat(50_000)],
    ['addresses', `${'a.a-'.repeat(25_000)}@`],
    ['columns', `${'|a'.repeat(5_000)}\n${'|-'.repeat(5_000)}\n${'|b'.repeat(5_000)}`],
    ['rows', `|a|b|\n|-|-|\n${'|c|d|\n'.repeat(10_000)}`],
    ['an open fence', `\`\`\`js\n${'let x = f(`a`, "b"); /* c\n'.repeat(5_000)}`],
    ['spaces', `${' '.repeat(100_000)}x`],
    ['marks', `e${'\u0301'.repeat(50_000)}`],
    ['backslashes', '\\'.repeat(100_000)],
  ])('GT-20: %s made to be slow are shown all the same', (_, text) => {
    const rows = coloured(text);
    expect(rows.length).toBeGreaterThan(0);
    expectSound(rows.slice(0, 50), 60);
  });
});
