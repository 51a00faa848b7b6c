/**
 * Renders Markdown as terminal rows: at most `width` wide, each with its colours opened and closed, links with their
 * target. A line break of the text is one on the screen, because models write lists of facts that way. Very long or
 * hostile text is shown as it was written: the time is linear in the text.
 */

import { lexer, type Token, type Tokens } from 'marked';
import { stripControls } from '../../../../gate/permissions/strip-controls.js';
import { widthOf } from '../../screen/width.js';
import type { Theme } from '../../theme/theme.js';
import { codeLines } from '../code/highlight.js';
import { expandTabs, type Span, wrapSpans } from '../spans.js';
import { inlineSpans, type Styles, stylesOf } from './inline-spans.js';
import { closesFence, indentOf, openedFence } from './line-kinds.js';
import { BlockSplitter } from './split-blocks.js';
import { tableRows } from './table-rows.js';

export type MarkdownOptions = {
  readonly width: number;
  readonly theme: Theme;
  /** False: code has no colours. */
  readonly highlight?: boolean;
};

type Page = Styles & {
  readonly width: number;
  readonly highlight: boolean;
  readonly depth: number;
};

/** A text that begins with an empty line has an empty row before it (see `BlockSplitter`). */
export function renderMarkdown(text: string, options: MarkdownOptions): string[] {
  const inert = stripControls(text);
  const splitter = new BlockSplitter();
  const rows = renderBlocks([...splitter.push(inert), ...splitter.end()], options);
  return inert.startsWith('\n') && rows.length > 0 ? ['', ...rows] : rows;
}

/** Renders blocks from a `BlockSplitter`, of text that is safe already. */
export function renderBlocks(blocks: readonly string[], options: MarkdownOptions): string[] {
  if (blocks.length === 0) return [];
  const { width, theme, highlight = true } = options;
  const page: Page = { ...stylesOf(theme), width: Math.max(1, width), highlight, depth: 0 };
  return blocks.flatMap((block) => blockRows(block, page));
}

function blockRows(block: string, page: Page): string[] {
  if (block.startsWith('\n')) {
    const rows = blockRows(block.slice(1), page);
    return rows.length === 0 ? [] : ['', ...rows];
  }
  const fence = fenceRows(block, page);
  if (fence !== undefined) return fence;
  if (isHostile(block)) return plainRows(block, page);
  try {
    return rowsOf(lexer(block), page);
  } catch {
    return plainRows(block, page);
  }
}

function plainRows(block: string, { width }: Page): string[] {
  return wrapSpans([{ text: expandTabs(block) }], { width });
}

/** Beyond these limits the parser takes more than linear time, or recurses too deep. No prose is like this. */
const LONGEST_WORD = 1_000;
const DEEPEST = 16;

function isHostile(block: string): boolean {
  return block.split('\n').some((line) => {
    const [marks = ''] = /^(?:\s*(?:>|[-+*](?=\s)|\d{1,9}[.)](?=\s)))*/.exec(line) ?? [];
    return marks.replace(/\s+/g, '').length > DEEPEST || hasLongWord(line);
  });
}

function hasLongWord(line: string): boolean {
  return line.length > LONGEST_WORD && line.split(/\s+/).some((word) => word.length > LONGEST_WORD);
}

/** A block that begins as code is nothing else. */
function fenceRows(block: string, page: Page): string[] | undefined {
  const [first = '', ...lines] = block.split('\n');
  const fence = openedFence(first);
  if (fence === undefined || fence.indent > 3) return undefined;
  const last = lines.at(-1);
  if (last !== undefined && closesFence(last, fence)) lines.pop();
  const code = lines.map((line) => line.slice(Math.min(fence.indent, indentOf(line)))).join('\n');
  return lines.length === 0 ? [] : codeRows(code, fence.info, page, fence.indent);
}

function codeRows(code: string, info: string, page: Page, indent = 0): string[] {
  const { theme, width, highlight, hasColours } = page;
  const language = highlight && hasColours ? (info.trim().split(/[\s,{]/, 1)[0] ?? '') : '';
  const before = ' '.repeat(indent + 2);
  return codeLines(code, language).flatMap((tokens) => {
    const spans = tokens.map(({ kind, text }): Span => {
      return kind === undefined ? { text } : { text, style: (part) => theme.token(kind, part) };
    });
    return wrapSpans(spans, { width, first: before, hard: true });
  });
}

function rowsOf(tokens: readonly Token[], page: Page): string[] {
  if (page.depth > DEEPEST) return plainRows(tokens.map(({ raw }) => raw).join(''), page);
  return tokens.flatMap((token) => tokenRows(token as MarkdownToken, page));
}

type MarkdownToken =
  | Tokens.Heading
  | Tokens.Paragraph
  | Tokens.Text
  | Tokens.List
  | Tokens.Blockquote
  | Tokens.Code
  | Tokens.Table
  | Tokens.Hr
  | Tokens.Space
  | Tokens.HTML
  | Tokens.Def
  | Tokens.Checkbox;

function tokenRows(token: MarkdownToken, page: Page): string[] {
  const { theme, hasColours, width } = page;
  switch (token.type) {
    case 'heading': {
      const spans = inlineSpans(token.tokens, page, (text) => theme.bold(theme.heading(text)));
      const mark = hasColours ? [] : [{ text: `${'#'.repeat(token.depth)} ` }];
      return wrapSpans([...mark, ...spans], { width });
    }
    case 'paragraph':
      return wrapSpans(tabless(inlineSpans(token.tokens, page)), { width });
    case 'text':
      return wrapSpans(tabless(inlineSpans('tokens' in token && token.tokens ? token.tokens : [token], page)), {
        width,
      });
    case 'list':
      return listRows(token, page);
    case 'blockquote':
      return nested(token.tokens, page, theme.dim('│ '), theme.dim('│ '));
    case 'code':
      return codeRows(token.text, token.lang ?? '', page);
    case 'table':
      return tableRows(cellsOf(token, page), width, page);
    case 'hr':
      return [theme.dim('─'.repeat(Math.min(width, 40)))];
    case 'space':
      return page.depth === 0 ? [''] : [];
    case 'checkbox':
    case 'html':
    case 'def':
      return plainRows(token.raw.replace(/\n+$/, ''), page);
    default:
      return plainRows((token satisfies never as Token).raw, page);
  }
}

function tabless(spans: readonly Span[]): readonly Span[] {
  return spans.map((span) => ({ ...span, text: expandTabs(span.text) }));
}

/** Items are shown without gaps, however they were written: part of a list looks like the whole. */
function listRows({ items, ordered, start }: Tokens.List, page: Page): string[] {
  return items.flatMap((item, index) => {
    const [first, ...others] = item.tokens;
    const box = first?.type === 'checkbox' ? first.raw : '';
    const mark = `${ordered ? `${(start === '' ? 1 : start) + index}.` : page.hasColours ? '•' : '-'} ${box}`;
    return nested(box === '' ? item.tokens : others, page, page.theme.dim(mark), ' '.repeat(mark.length));
  });
}

/** Without room left, nested content is not indented further. */
function nested(tokens: readonly Token[], page: Page, first: string, rest: string): string[] {
  const width = page.width - widthOf(first);
  const hasRoom = width >= LEAST_WIDTH;
  const rows = rowsOf(tokens, { ...page, width: hasRoom ? width : page.width, depth: page.depth + 1 });
  if (!hasRoom) return rows;
  return (rows.length === 0 ? [''] : rows).map((row, index) => `${index === 0 ? first : rest}${row}`);
}

const LEAST_WIDTH = 8;

function cellsOf({ header, rows, align }: Tokens.Table, page: Page) {
  const spans = ({ tokens }: Tokens.TableCell) => tabless(inlineSpans(tokens, page));
  return { header: header.map(spans), rows: rows.map((cells) => cells.map(spans)), align };
}
