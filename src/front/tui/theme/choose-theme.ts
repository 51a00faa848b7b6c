/** Chooses the colours: what the terminal can show, what the person wants, on a dark or a light background (TU-29). */

import { DARK, DARK_BLIND, LIGHT, LIGHT_BLIND, type Meaning, STANDARD, STANDARD_BLIND } from './palettes.js';
import type { Style, Theme } from './theme.js';

/** How many colours: none, sixteen, 256, or bytes of red, green and blue. */
export type ColourLevel = 0 | 4 | 8 | 24;

export type ThemeChoice = {
  readonly level: ColourLevel;
  readonly background: 'dark' | 'light';
  /** For people who see red and green alike. */
  readonly blind?: boolean;
};

export function chooseTheme(choice: ThemeChoice): Theme {
  const { level } = choice;
  // Also without colours, bold and the like would be codes: who wants none gets none.
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
    person: colour('person'),
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

/** Closes with its own code only. A code of a style within, which closes the same, is followed by this one again. */
function style(on: string, off: string): Style {
  const [open, close] = [`\u001b[${on}m`, `\u001b[${off}m`];
  return (text) => {
    if (text === '') return '';
    const inner = text.includes(close) ? text.replaceAll(close, `${close}${open}`) : text;
    return `${open}${inner}${close}`;
  };
}

type Environment = Readonly<Record<string, string | undefined>>;

/** What the terminal can show, as its environment tells. A person's wish (`NO_COLOR`, then `FORCE_COLOR`) comes first. */
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
      // `1`, `true`, or set to nothing: colours, as few as there are.
      return 4;
  }
}

/** A theme by the name that `/theme` and the settings know. `background: 'auto'`: as the terminal answers. */
export type NamedTheme = {
  readonly name: string;
  readonly background: 'auto' | 'dark' | 'light';
  readonly blind: boolean;
  /** Only the sixteen colours that the person has set in the terminal. */
  readonly only16: boolean;
  readonly help: string;
};

const named = (name: string, help: string, rest: Partial<NamedTheme> = {}): NamedTheme => {
  return { name, background: 'auto', blind: false, only16: false, help, ...rest };
};

export const THEMES: readonly NamedTheme[] = [
  named('auto', 'dark or light, as the terminal answers'),
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

/** Undefined: there is none of this name. */
export function readTheme(name: string): NamedTheme | undefined {
  const wanted = name.trim().toLowerCase();
  const known = Object.hasOwn(OTHER_NAMES, wanted) ? OTHER_NAMES[wanted] : wanted;
  return THEMES.find((theme) => theme.name === known);
}

/** The theme of a name on this terminal. `background`: as it answered. */
export function applyTheme(
  { background, blind, only16 }: NamedTheme,
  terminal: { readonly level: ColourLevel; readonly background: 'dark' | 'light' },
): Theme {
  const level = only16 && terminal.level > 4 ? 4 : terminal.level;
  return chooseTheme({ level, blind, background: background === 'auto' ? terminal.background : background });
}

/** Whether a background, each part from 0 to 1, is a dark one: by how bright it looks. */
export function backgroundOf({ red, green, blue }: { red: number; green: number; blue: number }): 'dark' | 'light' {
  return 0.299 * red + 0.587 * green + 0.114 * blue < 0.5 ? 'dark' : 'light';
}
