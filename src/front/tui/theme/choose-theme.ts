/** Chooses the colours by the terminal's abilities, the user's settings and the background (TU-29). */

import { DARK, DARK_BLIND, LIGHT, LIGHT_BLIND, type Meaning, STANDARD, STANDARD_BLIND } from './palettes.js';
import type { Style, Theme } from './theme.js';

/** Number of colours: none, sixteen, 256, or 24-bit. */
export type ColourLevel = 0 | 4 | 8 | 24;

export type ThemeChoice = {
  readonly level: ColourLevel;
  readonly background: 'dark' | 'light';
  /** For red-green colour blindness. */
  readonly blind?: boolean;
};

export function chooseTheme(choice: ThemeChoice): Theme {
  const { level } = choice;
  // Without colours, bold and the like would still be codes: omitted, too.
  const plain = (on: number, off: number): Style => (level === 0 ? asIs : style(`${on}`, `${off}`));
  const colour = chooseColour(choice);
  return {
    bold: plain(1, 22),
    italic: plain(3, 23),
    underline: plain(4, 24),
    strike: plain(9, 29),
    chosen: plain(7, 27),
    dim: colour('dim'),
    warn: colour('warn'),
    bad: colour('bad'),
    good: colour('good'),
    accent: colour('accent'),
    user: colour('user'),
    heading: colour('heading'),
    code: colour('code'),
    link: colour('link'),
    added: colour('added'),
    removed: colour('removed'),
    token: tokenStyles(colour),
  };
}

function tokenStyles(colour: (meaning: Meaning) => Style): Theme['token'] {
  const styles = {
    keyword: colour('keyword'),
    string: colour('string'),
    comment: colour('comment'),
    number: colour('number'),
    type: colour('type'),
    function: colour('function'),
    name: colour('name'),
  };
  return (kind, text) => styles[kind](text);
}

function chooseColour({ level, background, blind = false }: ThemeChoice): (meaning: Meaning) => Style {
  const [dark, light] = blind ? [DARK_BLIND, LIGHT_BLIND] : [DARK, LIGHT];
  const palette = background === 'dark' ? dark : light;
  const standard = blind ? STANDARD_BLIND : STANDARD;
  switch (level) {
    case 0:
      return () => asIs;
    case 4:
      return (meaning) =>
        meaning === 'dim' || meaning === 'comment' ? style('2', '22') : style(`${standard[meaning]}`, '39');
    case 8:
      return (meaning) => style(`38;5;${palette[meaning].of256}`, '39');
    case 24:
      return (meaning) => style(`38;2;${bytesOf(palette[meaning].hex).join(';')}`, '39');
    default:
      return level satisfies never;
  }
}

function bytesOf(hex: string): readonly number[] {
  return [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
}

const asIs: Style = (text) => text;

/** Closes with its own code only. If a nested style closes with the same code, this one is opened again. */
function style(on: string, off: string): Style {
  const [open, close] = [`\u001b[${on}m`, `\u001b[${off}m`];
  return (text) => {
    if (text === '') return '';
    const inner = text.includes(close) ? text.replaceAll(close, `${close}${open}`) : text;
    return `${open}${inner}${close}`;
  };
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The colour support of the terminal, from its environment. The user's wish (`NO_COLOR`, then `FORCE_COLOR`) wins. */
export function colourLevel(env: Environment, isTTY: boolean): ColourLevel {
  if (env.NO_COLOR) return 0;
  const forced = forcedLevel(env.FORCE_COLOR);
  if (forced !== undefined) return forced;
  const term = env.TERM ?? '';
  if (!isTTY || term === 'dumb') return 0;
  if (/^(?:truecolor|24bit)$/i.test(env.COLORTERM ?? '') || /-(?:direct|truecolor)$/.test(term)) return 24;
  if (env.WT_SESSION || env.TERM_PROGRAM === 'iTerm.app' || /^(?:xterm-)?(?:kitty|ghostty|alacritty)/.test(term))
    return 24;
  if (/-256(?:color)?$/.test(term) || env.TERM_PROGRAM === 'Apple_Terminal') return 8;
  return 4;
}

function forcedLevel(wish: string | undefined): ColourLevel | undefined {
  switch (wish) {
    case undefined:
      return undefined;
    case '0':
    case 'false':
      return 0;
    case '2':
      return 8;
    case '3':
      return 24;
    default:
      // `1`, `true`, or empty: colours, as few as there are.
      return 4;
  }
}

/** A theme by its name in `/theme` and the settings. `background: 'auto'`: as the terminal reports. */
export type NamedTheme = {
  readonly name: string;
  readonly background: 'auto' | 'dark' | 'light';
  readonly blind: boolean;
  /** Only the sixteen colours configured in the terminal. */
  readonly only16: boolean;
  readonly help: string;
};

const named = (name: string, help: string, rest: Partial<NamedTheme> = {}): NamedTheme => {
  return { name, background: 'auto', blind: false, only16: false, help, ...rest };
};

export const THEMES: readonly NamedTheme[] = [
  named('auto', 'dark or light, as the terminal reports'),
  named('dark', 'for a dark background', { background: 'dark' }),
  named('light', 'for a light background', { background: 'light' }),
  named('dark-colourblind', 'dark; blue and orange for green and red', { background: 'dark', blind: true }),
  named('light-colourblind', 'light; blue and orange for green and red', { background: 'light', blind: true }),
  named('16', "only the terminal's own sixteen colours", { only16: true }),
];

const OTHER_NAMES: Readonly<Record<string, string>> = {
  ansi: '16',
  'dark-colorblind': 'dark-colourblind',
  'light-colorblind': 'light-colourblind',
  'dark-daltonized': 'dark-colourblind',
  'light-daltonized': 'light-colourblind',
};

/** Undefined: unknown name. */
export function readTheme(name: string): NamedTheme | undefined {
  const wanted = name.trim().toLowerCase();
  const known = Object.hasOwn(OTHER_NAMES, wanted) ? OTHER_NAMES[wanted] : wanted;
  return THEMES.find((theme) => theme.name === known);
}

/** A named theme on this terminal. `background`: as the terminal reported. */
export function applyTheme(
  { background, blind, only16 }: NamedTheme,
  terminal: { readonly level: ColourLevel; readonly background: 'dark' | 'light' },
): Theme {
  const level = only16 && terminal.level > 4 ? 4 : terminal.level;
  return chooseTheme({ level, blind, background: background === 'auto' ? terminal.background : background });
}

/** Classifies a background, each part from 0 to 1, by its perceived brightness. */
export function backgroundOf({ red, green, blue }: { red: number; green: number; blue: number }): 'dark' | 'light' {
  return 0.299 * red + 0.587 * green + 0.114 * blue < 0.5 ? 'dark' : 'light';
}
