/** A theme without colours, for tests of texts and positions. */

import type { Theme } from '../../../../../src/front/tui/theme/theme.js';

const plain = (text: string) => text;

export const PLAIN_THEME: Theme = {
  dim: plain,
  bold: plain,
  warn: plain,
  bad: plain,
  good: plain,
  italic: plain,
  underline: plain,
  strike: plain,
  accent: plain,
  user: plain,
  heading: plain,
  code: plain,
  link: plain,
  added: plain,
  removed: plain,
  chosen: plain,
  token: (_, text) => text,
};
