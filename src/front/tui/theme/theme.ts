/** Colours by meaning. Each function returns the text unchanged if colours are off. */

import type { Paint } from '../../view/paint.js';

export type Style = (text: string) => string;

export type Theme = Paint & {
  readonly italic: Style;
  readonly underline: Style;
  readonly strike: Style;
  /** Our own elements: the mark before a reply, names, selections. */
  readonly accent: Style;
  /** Text of the user. */
  readonly user: Style;
  readonly heading: Style;
  readonly code: Style;
  readonly link: Style;
  /** Lines of a diff. */
  readonly added: Style;
  readonly removed: Style;
  /** The chosen row of a list: it also has a mark, for use without colours. */
  readonly chosen: Style;
  /** Parts of code, by the kind of token: `keyword`, `string`, `comment`, `number`, `type`, `function`, `name`. */
  readonly token: (kind: TokenKind, text: string) => string;
};

export type TokenKind = 'keyword' | 'string' | 'comment' | 'number' | 'type' | 'function' | 'name';
