/**
 * An item of a conversation as rows (TU-2): a call is a line with its duration, an edit a diff of 20 lines, thinking a dim
 * line, todos the current one and n/m. `whole`: nothing is folded. Rows are at most `width` wide.
 */

import { stripControls, stripToLine } from '../../../gate/permissions/strip-controls.js';
import type { Item } from '../../view/items/item.js';
import { clip } from '../screen/width.js';
import type { Style, Theme } from '../theme/theme.js';
import { callRows } from './call-rows.js';
import { moreRow } from './diff-rows.js';
import { renderMarkdown } from './markdown/render-markdown.js';
import { expandTabs, wrapSpans } from './spans.js';
import { todoRows } from './todo-rows.js';

export type ItemRowsOptions = {
  readonly width: number;
  readonly theme: Theme;
  /** Paths below it are shown relative to it. */
  readonly cwd: string;
  readonly whole?: boolean;
  /** The key that expands folded text. */
  readonly key?: string;
};

const MOST_PROMPT_LINES = 20;
const MOST_MESSAGE_LINES = 6;

/** A promise only for an edit: its diff is made when needed. */
export function itemRows(item: Item, options: ItemRowsOptions): Promise<string[]> | string[] {
  const { theme, width, whole = false } = options;
  switch (item.kind) {
    case 'prompt': {
      const more = item.attached === 0 ? '' : ` (+${item.attached} attached)`;
      const text = `${item.text}${more}`;
      return ['', ...folded(text, { ...options, mark: '> ', style: theme.user, most: MOST_PROMPT_LINES })];
    }
    case 'message':
      return messageRows(item, options);
    case 'text':
      return textRows(item.text, options);
    case 'thinking': {
      const mark = theme.dim('∴ ');
      if (whole) return folded(item.text.trim(), { ...options, mark, style: theme.dim, most: MOST_MESSAGE_LINES });
      const [first = '', ...rest] = stripControls(item.text).trim().split('\n');
      return [clip(theme.dim(`∴ ${expandTabs(first)}${rest.length === 0 ? '' : ' …'}`), width)];
    }
    case 'call':
      return callRows(item, options);
    case 'notice': {
      const isDone = item.status === 'completed';
      const mark = isDone ? theme.good('✓ ') : theme.warn('✗ ');
      const text = item.text === '' ? `${item.agent}: ${item.status}` : item.text;
      return folded(stripToLine(text), { ...options, mark, most: MOST_MESSAGE_LINES });
    }
    case 'todos':
      return todoRows(item.items, options);
    case 'line':
      return lineRows(item, options);
    default:
      return item satisfies never;
  }
}

function messageRows(item: Extract<Item, { kind: 'message' }>, options: ItemRowsOptions): string[] {
  const { theme, width, whole = false } = options;
  if (item.from === 'hook' && !whole) {
    return [clip(theme.dim(`  hook: ${expandTabs(stripToLine(item.text.trim()).slice(0, width * 2))}`), width)];
  }
  const who = item.name === undefined ? item.from : item.name;
  const text = `${stripToLine(who)}: ${item.text.trim()}`;
  return ['', ...folded(text, { ...options, mark: theme.accent('← '), most: MOST_MESSAGE_LINES })];
}

/** Part of a reply, with the mark before its first row. */
export function textRows(text: string, { width, theme }: Pick<ItemRowsOptions, 'width' | 'theme'>): string[] {
  const begun = stripControls(text).replace(/^(?:[ \t]*\n)+/, '');
  return markRows(renderMarkdown(begun, { width: width - 2, theme }), { width, theme }, true);
}

type MarkOptions = Pick<ItemRowsOptions, 'width' | 'theme'>;

/** `isFirst`: the rows are the beginning of the reply. */
export function markRows(rows: readonly string[], { width, theme }: MarkOptions, isFirst: boolean): string[] {
  const marked = rows.map((row, index) => {
    if (isFirst && index === 0) return `${theme.accent('● ')}${row}`;
    return row === '' ? '' : `  ${row}`;
  });
  // In a very narrow window the mark takes the room of the text.
  return width < 4 ? marked.map((row) => clip(row, Math.max(1, width))) : marked;
}

type FoldOptions = ItemRowsOptions & {
  /** Two columns wide. */
  readonly mark: string;
  readonly style?: Style;
  /** The number of lines, unless it is shown whole. */
  readonly most: number;
};

function folded(text: string, { width, theme, whole, key = 'ctrl+o', mark, style, most }: FoldOptions): string[] {
  const lines = expandTabs(stripControls(text)).trimEnd().split('\n');
  const shown = whole ? lines : lines.slice(0, most);
  const rows = wrapSpans([{ text: shown.join('\n'), style }], { width, first: style ? style(mark) : mark, rest: '  ' });
  const left = lines.length - shown.length;
  return left > 0 ? [...rows, moreRow(left, { width, theme, key, indent: '  ' })] : rows;
}

/** The mark shows the level without colours, too. */
function lineRows({ level, text }: Extract<Item, { kind: 'line' }>, options: ItemRowsOptions): string[] {
  const { theme } = options;
  const [mark, style] =
    level === 'info' ? ['· ', theme.dim] : level === 'warning' ? ['! ', theme.warn] : ['✗ ', theme.bad];
  return folded(text, { ...options, mark, style, most: MOST_MESSAGE_LINES });
}
