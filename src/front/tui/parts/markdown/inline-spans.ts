/** The text of a paragraph as styled spans. Without colours, the Markdown marks stay (TU-29). */

import type { Token, Tokens } from 'marked';
import { stripControls } from '../../../../gate/permissions/strip-controls.js';
import type { Style, Theme } from '../../theme/theme.js';
import type { Span } from '../spans.js';

type Styles = { readonly theme: Theme; readonly hasColours: boolean };

export function stylesOf(theme: Theme): Styles {
  return { theme, hasColours: theme.bold('x') !== 'x' };
}

export type { Styles };

/** Deeper nesting is shown as it was written. */
const DEEPEST = 12;

export function inlineSpans(tokens: readonly Token[], styles: Styles, style?: Style, depth = 0): Span[] {
  if (depth > DEEPEST) return [{ text: tokens.map(({ raw }) => raw).join(''), style }];
  return tokens.flatMap((token) => spansOf(token as Known, styles, style, depth + 1));
}

type Known =
  | Tokens.Text
  | Tokens.Escape
  | Tokens.Strong
  | Tokens.Em
  | Tokens.Del
  | Tokens.Codespan
  | Tokens.Link
  | Tokens.Image
  | Tokens.Br
  | Tokens.Checkbox
  | Tokens.HTML;

function spansOf(token: Known, styles: Styles, style: Style | undefined, depth: number): Span[] {
  const { theme, hasColours } = styles;
  const inner = (tokens: readonly Token[], own: Style, mark: string): Span[] => {
    const spans = inlineSpans(tokens, styles, within(style, own), depth);
    return hasColours ? spans : [{ text: mark, style }, ...spans, { text: mark, style }];
  };
  switch (token.type) {
    case 'text':
      if ('tokens' in token && token.tokens !== undefined) return inlineSpans(token.tokens, styles, style, depth);
      // The parser has decoded numeric entities (`&#27;`): unsafe characters are removed again.
      return [{ text: decodeEntities(token.text === token.raw ? token.text : stripControls(token.text)), style }];
    case 'escape':
      return [{ text: token.text, style }];
    case 'strong':
      return inner(token.tokens, theme.bold, '**');
    case 'em':
      return inner(token.tokens, theme.italic, '*');
    case 'del':
      return inner(token.tokens, theme.strike, '~~');
    case 'codespan':
      return [{ text: hasColours ? token.text : `\`${token.text}\``, style: within(style, theme.code) }];
    case 'link':
      return linkSpans(token, styles, style, depth);
    case 'image':
      return [
        { text: `[image: ${token.text}]`, style },
        { text: ` (${token.href})`, style: within(style, theme.dim) },
      ];
    case 'br':
      return [{ text: '\n', style }];
    case 'checkbox':
      return [{ text: token.checked ? '[x] ' : '[ ] ', style }];
    case 'html':
      return [{ text: /^<br\s*\/?>$/i.test(token.text) ? '\n' : token.text, style }];
    default:
      return [{ text: (token satisfies never as Token).raw, style }];
  }
}

/** A link always shows its target (TU-30): once, if its text is the same. */
function linkSpans(
  { href, text, tokens }: Tokens.Link,
  styles: Styles,
  style: Style | undefined,
  depth: number,
): Span[] {
  const { theme } = styles;
  const spans = inlineSpans(tokens, styles, within(within(style, theme.link), theme.underline), depth);
  const saysItself = text === href || href === `mailto:${text}` || href === `http://${text}`;
  return saysItself ? spans : [...spans, { text: ` (${href})`, style: within(style, theme.dim) }];
}

function within(outer: Style | undefined, inner: Style): Style {
  return outer === undefined ? inner : (text) => outer(inner(text));
}

/** Only these: others could decode to unsafe characters. */
function decodeEntities(text: string): string {
  return text.includes('&')
    ? text.replace(/&(amp|lt|gt|quot|nbsp|#39);/g, (_, name: string) => ENTITIES[name] ?? '')
    : text;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ', '#39': "'" };
