/** Colours by meaning. Each function leaves the text as it is where the terminal or the person wants no colours. */

import type { Paint } from '../../view/paint.js';

export type Style = (text: string) => string;

export type Theme = Paint & {
  readonly italic: Style;
  readonly underline: Style;
  readonly strike: Style;
  /** What is ours: the mark before a reply, names, what is selected. */
  readonly accent: Style;
  /** What the person said. */
  readonly person: Style;
  readonly heading: Style;
  readonly code: Style;
  readonly link: Style;
  /** Lines of a diff. */
  readonly added: Style;
  readonly removed: Style;
  /** The chosen row of a list: also without colours it differs (a mark goes before it). */
  readonly chosen: Style;
  /** Parts of code, by the kind of token: `keyword`, `string`, `comment`, `number`, `type`, `function`, `name`. */
  readonly token: (kind: TokenKind, text: string) => string;
};

export type TokenKind = 'keyword' | 'string' | 'comment' | 'number' | 'type' | 'function' | 'name';
