/** A block of Markdown as styled rows. */

import { lexer } from 'marked';

const sgr = (open, close) => (text) => `\x1b[${open}m${text}\x1b[${close}m`;
const [bold, dim, italic, underlined] = [sgr(1, 22), sgr(2, 22), sgr(3, 23), sgr(4, 24)];
const [cyan, yellow, green] = [sgr(36, 39), sgr(33, 39), sgr(32, 39)];

const inline = (tokens = []) => tokens.map(span).join('');

function span(token) {
  switch (token.type) {
    case 'strong':
      return bold(inline(token.tokens));
    case 'em':
      return italic(inline(token.tokens));
    case 'codespan':
      return yellow(token.text);
    case 'link':
      return underlined(inline(token.tokens)) + dim(` (${token.href})`);
    case 'br':
      return '\n';
    default:
      return token.tokens ? inline(token.tokens) : (token.text ?? token.raw);
  }
}

export function markdown(text, width, wrap, widthOf) {
  const out = [];
  const paragraph = (words, first = '', rest = first) => {
    for (const [index, row] of wrap(words.replace(/\n/g, ' '), width - rest.length)
      .split('\n')
      .entries())
      out.push((index > 0 ? rest : first) + row);
  };
  const list = (token, indent) => {
    for (const [index, item] of token.items.entries()) {
      const mark = indent + (token.ordered ? `${(token.start || 1) + index}. ` : '• ');
      for (const part of item.tokens)
        if (part.type === 'text' || part.type === 'paragraph')
          paragraph(inline(part.tokens), mark, ' '.repeat(mark.length));
      walk(
        item.tokens.filter(({ type }) => type === 'list'),
        `${indent}  `,
      );
    }
  };
  const table = (token) => {
    const rows = [token.header, ...token.rows].map((row) => row.map((cell) => inline(cell.tokens)));
    const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => widthOf(row[column] ?? ''))));
    for (const [index, row] of rows.entries()) {
      out.push(row.map((cell, column) => cell + ' '.repeat(widths[column] - widthOf(cell))).join(' │ '));
      if (index === 0) out.push(widths.map((wide) => '─'.repeat(wide)).join('─┼─'));
    }
  };
  const walk = (tokens, indent = '') => {
    for (const token of tokens) {
      switch (token.type) {
        case 'heading':
          out.push(bold(cyan(`${'#'.repeat(token.depth)} ${inline(token.tokens)}`)));
          break;
        case 'paragraph':
        case 'text':
          paragraph(inline(token.tokens ?? [token]), indent);
          break;
        case 'list':
          list(token, indent);
          break;
        case 'code':
          for (const line of token.text.split('\n'))
            for (const row of wrap(line, width - 2).split('\n')) out.push(`  ${green(row)}`);
          break;
        case 'blockquote':
          for (const part of token.tokens) if (part.tokens) paragraph(inline(part.tokens), '│ ');
          break;
        case 'table':
          table(token);
          break;
        case 'space':
          break;
        default:
          paragraph(token.raw ?? '');
      }
    }
  };
  walk(lexer(text));
  return out;
}

/** Splits at blank lines outside fences: whole blocks out, the rest stays as the live tail. */
export class Splitter {
  tail = '';

  push(delta) {
    this.tail += delta;
    const blocks = [];
    let isCode = false;
    let start = 0;
    let at = 0;
    for (;;) {
      const end = this.tail.indexOf('\n', at);
      if (end < 0) break;
      const line = this.tail.slice(at, end);
      if (line.startsWith('```')) isCode = !isCode;
      if (!isCode && line === '') {
        const block = this.tail.slice(start, at);
        if (block.trim()) blocks.push(block.replace(/\n$/, ''));
        start = end + 1;
      }
      at = end + 1;
    }
    if (start > 0) this.tail = this.tail.slice(start);
    return blocks;
  }

  end() {
    const rest = this.tail.trim();
    this.tail = '';
    return rest ? [rest] : [];
  }
}
