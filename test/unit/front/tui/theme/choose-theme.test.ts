import { describe, expect, it } from 'vitest';
import {
  applyTheme,
  backgroundOf,
  type ColourLevel,
  chooseTheme,
  colourLevel,
  readTheme,
  THEMES,
} from '../../../../../src/front/tui/theme/choose-theme.js';
import type { Theme } from '../../../../../src/front/tui/theme/theme.js';
import fc from '../../../../support/fast-check.js';

const LEVELS: readonly ColourLevel[] = [0, 4, 8, 24];
const STYLES = ['bold', 'dim', 'italic', 'underline', 'strike', 'warn', 'bad', 'good', 'accent', 'user'] as const;
const MORE = ['heading', 'code', 'link', 'added', 'removed', 'chosen'] as const;

// biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes begin with one.
const CODES = /\u001b\[([\d;]*)m/g;

/** The codes open after the text, by the code that closes them. */
function leftOn(text: string): string[] {
  const on = new Map<string, string>();
  for (const [, code = ''] of text.matchAll(CODES)) {
    if (/^(?:22|23|24|27|29|39)$/.test(code)) on.delete(code);
    else on.set(offOf(code), code);
  }
  return [...on.values()];
}

function offOf(code: string): string {
  const offs: Record<string, string> = { 1: '22', 2: '22', 3: '23', 4: '24', 7: '27', 9: '29' };
  return offs[code] ?? '39';
}

describe('chooseTheme', () => {
  it('TU-29: without colours every style returns the text unchanged', () => {
    const theme = chooseTheme({ level: 0, background: 'dark' });
    for (const name of [...STYLES, ...MORE]) expect(theme[name]('text')).toBe('text');
    expect(theme.token('keyword', 'if')).toBe('if');
  });

  it('TU-29: sixteen, 256 and 24-bit colours use the codes of their kind', () => {
    const of = (level: ColourLevel) => chooseTheme({ level, background: 'dark' }).bad('x');
    expect(of(4)).toBe('\u001b[31mx\u001b[39m');
    expect(of(8)).toMatch(/^\S\[38;5;\d+mx\S\[39m$/);
    expect(of(24)).toMatch(/^\S\[38;2;\d+;\d+;\d+mx\S\[39m$/);
  });

  it('TU-29: the colour-blind pair shows added lines in blue, removed ones in orange', () => {
    for (const background of ['dark', 'light'] as const) {
      const theme = chooseTheme({ level: 24, background, blind: true });
      const [addedRed = 0, addedGreen = 0, addedBlue = 0] = bytes(theme.added('x'));
      const [red = 0, green = 0, blue = 0] = bytes(theme.removed('x'));
      expect(addedBlue).toBeGreaterThan(Math.max(addedRed, addedGreen));
      expect(red).toBeGreaterThan(green);
      expect(green).toBeGreaterThan(blue);
    }
    const few = chooseTheme({ level: 4, background: 'dark', blind: true });
    expect(few.added('x')).toContain('[34m');
    expect(few.removed('x')).toContain('[33m');
  });

  it('TU-29: dark and light differ, and 24-bit text has contrast with its background', () => {
    for (const background of ['dark', 'light'] as const) {
      for (const blind of [false, true]) {
        const theme = chooseTheme({ level: 24, background, blind });
        const ground = background === 'dark' ? [0x1e, 0x1e, 0x1e] : [0xff, 0xff, 0xff];
        for (const name of STYLES.slice(5))
          expect(contrast(bytes(theme[name]('x')), ground), name).toBeGreaterThan(4.5);
        expect(contrast(bytes(theme.dim('x')), ground)).toBeGreaterThan(4.5);
      }
    }
  });

  it('TU-29: no style leaks, and an outer style continues after an inner one', () => {
    const nested = fc.letrec<{ text: string[] }>((tie) => ({
      text: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom<string[]>(['a'], ['b ']),
        fc
          .tuple(fc.constantFrom(...STYLES, ...MORE), tie('text'), tie('text'))
          .map(([name, a, b]) => [name, ...a, ...b]),
      ),
    })).text;
    const apply = (theme: Theme, names: readonly string[]): string =>
      names.reduceRight((text, name) => {
        const style = (theme as unknown as Record<string, (text: string) => string>)[name];
        return style === undefined ? `${name}${text}` : `x${style(`<${text}>`)}y`;
      }, '');
    fc.assert(
      fc.property(nested, fc.constantFrom(...LEVELS), (names, level) => {
        const theme = chooseTheme({ level, background: 'dark' });
        expect(leftOn(apply(theme, names))).toEqual([]);
      }),
    );
    const theme = chooseTheme({ level: 4, background: 'dark' });
    const text = theme.dim(`a${theme.bold('b')}c`);
    expect(leftOn(text.slice(0, text.indexOf('c')))).toEqual(['2']);
  });
});

describe('colourLevel', () => {
  it.each<[Record<string, string>, boolean, ColourLevel]>([
    [{ TERM: 'xterm-256color', COLORTERM: 'truecolor' }, true, 24],
    [{ TERM: 'xterm-256color', COLORTERM: '24bit' }, true, 24],
    [{ TERM: 'xterm-256color' }, true, 8],
    [{ TERM: 'screen' }, true, 4],
    [{}, true, 4],
    [{ TERM: 'xterm-kitty' }, true, 24],
    [{ TERM: 'dumb' }, true, 0],
    [{ TERM: 'xterm-256color', COLORTERM: 'truecolor' }, false, 0],
    [{ TERM: 'xterm-256color', NO_COLOR: '1' }, true, 0],
    [{ TERM: 'xterm-256color', NO_COLOR: '' }, true, 8],
    [{ NO_COLOR: '1', FORCE_COLOR: '3' }, true, 0],
    [{ TERM: 'dumb', FORCE_COLOR: '3' }, false, 24],
    [{ FORCE_COLOR: '0', TERM: 'xterm-256color' }, true, 0],
    [{ FORCE_COLOR: '1' }, false, 4],
    [{ FORCE_COLOR: '2' }, false, 8],
  ])('TU-29: %j on a terminal (%s) has %i', (env, isTTY, level) => {
    expect(colourLevel(env, isTTY)).toBe(level);
  });
});

describe('readTheme', () => {
  it('TU-29: themes have names and aliases', () => {
    expect(THEMES.map(({ name }) => name)).toEqual([
      'auto',
      'dark',
      'light',
      'dark-colourblind',
      'light-colourblind',
      '16',
    ]);
    expect(readTheme('ANSI')?.name).toBe('16');
    expect(readTheme('dark-daltonized')?.name).toBe('dark-colourblind');
    expect(readTheme('pink')).toBeUndefined();
    expect(readTheme('constructor')).toBeUndefined();
  });

  it('TU-29: `auto` follows the terminal, the others do not, and no theme restores colours', () => {
    const light = { level: 24, background: 'light' } as const;
    const shown = (name: string, level: ColourLevel = 24) =>
      applyTheme(readTheme(name) ?? THEMES[0] ?? expect.fail(), { ...light, level }).bad('x');
    expect(shown('auto')).toBe(shown('light'));
    expect(shown('dark')).not.toBe(shown('light'));
    expect(shown('16')).toBe('\u001b[31mx\u001b[39m');
    for (const { name } of THEMES) expect(shown(name, 0)).toBe('x');
  });

  it('TU-29: a background is dark or light by its perceived brightness', () => {
    expect(backgroundOf({ red: 0.12, green: 0.12, blue: 0.12 })).toBe('dark');
    expect(backgroundOf({ red: 0, green: 0, blue: 1 })).toBe('dark');
    expect(backgroundOf({ red: 1, green: 1, blue: 0.9 })).toBe('light');
  });
});

function bytes(text: string): number[] {
  return /38;2;(\d+);(\d+);(\d+)/.exec(text)?.slice(1).map(Number) ?? [];
}

function contrast(one: readonly number[], other: readonly number[]): number {
  const light = (of: readonly number[]) => {
    const [red = 0, green = 0, blue = 0] = of.map((byte) => {
      const part = byte / 255;
      return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [high, low] = [light(one), light(other)].sort((a, b) => b - a) as [number, number];
  return (high + 0.05) / (low + 0.05);
}
