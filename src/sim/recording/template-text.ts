/** Text with placeholders: reads it, and substitutes values. Pure. */

import { type PlaceholderRow, rowOf } from './placeholders.js';

export type Token =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'place'; readonly name: string; readonly row: PlaceholderRow };

export const MARK = '{{coppice:';

const PLACE = /\{\{coppice:([a-z]+(?:-\d+)?)\}\}/g;

export function placeholder(name: string): string {
  return `${MARK}${name}}}`;
}

/** A placeholder with an unknown name is text. */
export function readTemplate(template: string): readonly Token[] {
  const tokens: Token[] = [];
  let text = '';
  let at = 0;
  for (const match of template.matchAll(PLACE)) {
    const [whole, name = ''] = match;
    const row = rowOf(name);
    if (row === undefined) continue;
    text += template.slice(at, match.index);
    at = match.index + whole.length;
    if (row.kind === 'literal') {
      text += MARK;
      continue;
    }
    if (text !== '') tokens.push({ kind: 'text', text });
    text = '';
    tokens.push({ kind: 'place', name, row });
  }
  text += template.slice(at);
  if (text !== '') tokens.push({ kind: 'text', text });
  return tokens;
}

/** The names of the placeholders in it, except `literal`. */
export function namesIn(template: string): readonly string[] {
  if (!template.includes(MARK)) return [];
  return readTemplate(template).flatMap((token) => (token.kind === 'place' ? [token.name] : []));
}

export function expandTemplate(template: string, findValue: (name: string) => string): string {
  if (!template.includes(MARK)) return template;
  return readTemplate(template)
    .map((token) => (token.kind === 'text' ? token.text : findValue(token.name)))
    .join('');
}
