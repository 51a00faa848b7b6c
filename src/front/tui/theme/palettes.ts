/**
 * The colours of the themes, by meaning: as one of 256, and as red, green and blue. Terminals with sixteen colours use
 * the standard ones, which the user has configured.
 */

import type { TokenKind } from './theme.js';

export type Meaning =
  | 'dim'
  | 'warn'
  | 'bad'
  | 'good'
  | 'accent'
  | 'user'
  | 'heading'
  | 'code'
  | 'link'
  | 'added'
  | 'removed'
  | TokenKind;

/** `of256`: its number; `hex`: `rrggbb`. */
export type Colour = { readonly of256: number; readonly hex: string };

export type Palette = Readonly<Record<Meaning, Colour>>;

const colour = (of256: number, hex: string): Colour => ({ of256, hex });

export const DARK: Palette = {
  dim: colour(245, '8b929c'),
  warn: colour(179, 'e0af68'),
  bad: colour(203, 'f7768e'),
  good: colour(114, '8fce7a'),
  accent: colour(110, '7aa2f7'),
  user: colour(151, 'b5d6a7'),
  heading: colour(117, '7dcfff'),
  code: colour(180, 'd7ba7d'),
  link: colour(111, '89b4fa'),
  added: colour(114, '8fce7a'),
  removed: colour(203, 'f7768e'),
  keyword: colour(176, 'c792ea'),
  string: colour(150, 'a5d68c'),
  comment: colour(245, '8b929c'),
  number: colour(215, 'ffb86c'),
  type: colour(116, '80cbc4'),
  function: colour(111, '82aaff'),
  name: colour(180, 'd7ba7d'),
};

export const LIGHT: Palette = {
  dim: colour(242, '636b76'),
  warn: colour(130, '8f5e00'),
  bad: colour(160, 'c4203b'),
  good: colour(28, '1f7a33'),
  accent: colour(26, '1f5fbf'),
  user: colour(22, '2f6b2a'),
  heading: colour(24, '00607f'),
  code: colour(94, '7a4d00'),
  link: colour(25, '1a56b0'),
  added: colour(28, '1f7a33'),
  removed: colour(160, 'c4203b'),
  keyword: colour(91, '7b2fa8'),
  string: colour(28, '1f7a33'),
  comment: colour(242, '636b76'),
  number: colour(130, '9a5200'),
  type: colour(30, '00707a'),
  function: colour(25, '1a56b0'),
  name: colour(94, '7a4d00'),
};

/** For red-green colour blindness: blue and orange instead (TU-29). */
export const DARK_BLIND: Palette = {
  ...DARK,
  good: colour(75, '5db0ff'),
  added: colour(75, '5db0ff'),
  bad: colour(214, 'ff9f1c'),
  removed: colour(214, 'ff9f1c'),
  warn: colour(228, 'f2e58a'),
  user: colour(153, 'a9d3ff'),
  string: colour(153, 'a9d3ff'),
};

export const LIGHT_BLIND: Palette = {
  ...LIGHT,
  good: colour(25, '0050b5'),
  added: colour(25, '0050b5'),
  bad: colour(130, 'a85400'),
  removed: colour(130, 'a85400'),
  warn: colour(94, '6b5200'),
  user: colour(24, '00507a'),
  string: colour(24, '00507a'),
};

/** SGR codes for sixteen colours; foreground only, 30 to 37 and 90 to 97. `dim` is fainter text. */
export const STANDARD: Readonly<Record<Exclude<Meaning, 'dim' | 'comment'>, number>> = {
  warn: 33,
  bad: 31,
  good: 32,
  accent: 36,
  user: 32,
  heading: 36,
  code: 33,
  link: 34,
  added: 32,
  removed: 31,
  keyword: 35,
  string: 32,
  number: 33,
  type: 36,
  function: 34,
  name: 33,
};

/** With sixteen colours, blue and yellow replace green and red. */
export const STANDARD_BLIND: typeof STANDARD = {
  ...STANDARD,
  good: 34,
  added: 34,
  bad: 33,
  removed: 33,
  warn: 35,
  user: 34,
  string: 34,
};
