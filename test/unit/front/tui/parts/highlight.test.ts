import { describe, expect, it } from 'vitest';
import { codeLines } from '../../../../../src/front/tui/parts/code/highlight.js';
import type { Theme } from '../../../../../src/front/tui/theme/theme.js';
import fc from '../../../../support/fast-check.js';
import { expectSound, markdown, NO_COLOURS, plain, themeOf } from './rows.js';

const kinds = (code: string, language: string) =>
  Object.fromEntries(
    codeLines(code, language).flatMap((tokens) => tokens.map(({ kind, text }) => [text.trim(), kind])),
  );

/** As rows of code are painted. */
const highlight = (code: string, language: string, theme: Theme) =>
  codeLines(code, language).map((tokens) =>
    tokens.map(({ kind, text }) => (kind === undefined ? text : theme.token(kind, text))).join(''),
  );

describe('highlight', () => {
  it('TU-2: tokens have their kind, in languages by name and by alias', () => {
    expect(kinds('const a = "s"; // c', 'typescript')).toMatchObject({
      const: 'keyword',
      '"s"': 'string',
      '// c': 'comment',
    });
    expect(kinds('def f(): return 1', 'py')).toMatchObject({ def: 'keyword', f: 'function', '1': 'number' });
    for (const language of ['sh', 'console', 'rs', 'yml', 'toml', 'html', 'tsx', 'golang', 'c++', 'JSON']) {
      expect(
        codeLines('<a b="x">\na = "x"', language)
          .flat()
          .some(({ kind }) => kind !== undefined),
        language,
      ).toBe(true);
    }
  });

  it('TU-2: escaped characters are restored', () => {
    const code = 'if (a < b && c > "&amp;") x = \'&#x27;\'; // <span class="hljs-keyword">';
    for (const language of ['js', 'xml', 'bash', 'none', '']) {
      expect(codeLines(code, language).map((tokens) => tokens.map(({ text }) => text).join(''))).toEqual([code]);
    }
  });

  it('TU-29: a comment over several lines has its colour opened and closed in each', () => {
    const rows = highlight('/* a\n b */', 'ts', themeOf(4));
    expect(rows).toEqual(['\u001b[2m/* a\u001b[22m', '\u001b[2m b */\u001b[22m']);
    expect(highlight('const a', 'ts', NO_COLOURS)).toEqual(['const a']);
  });

  it('GT-20: any code in any language keeps its lines and controls nothing', () => {
    const language = fc.constantFrom('ts', 'python', 'bash', 'xml', 'php', 'diff', 'sql', '__proto__', 'constructor');
    fc.assert(
      fc.property(markdown, language, (code, name) => {
        const rows = highlight(code, name, themeOf(24));
        expect(plain(rows)).toEqual(highlight(code, '', NO_COLOURS));
        expectSound(rows, Number.POSITIVE_INFINITY);
      }),
    );
  });

  it('TU-32: long code and long lines have no colours', () => {
    for (const code of ['const a = 1;\n'.repeat(10_000), `const a = "${'x'.repeat(5_000)}";`]) {
      expect(codeLines(code, 'ts').every((tokens) => tokens.every(({ kind }) => kind === undefined))).toBe(true);
    }
  });
});
