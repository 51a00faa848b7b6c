/** A finished call as rows: its line, then the relevant part of its result. */

import { stripControls } from '../../../gate/permissions/strip-controls.js';
import { clockTime, plural } from '../../../protocol/format-numbers.js';
import { factsOf } from '../../../protocol/tools/built-in-tools.js';
import { member, resultLines } from '../../view/describe/describe-call.js';
import { type DiffLine, editDiff } from '../../view/edit-diff.js';
import type { Item } from '../../view/items/item.js';
import { clip } from '../screen/width.js';
import type { Theme } from '../theme/theme.js';
import { callLine } from './call-line.js';
import { diffCounts, diffRows, moreRow } from './diff-rows.js';
import { renderMarkdown } from './markdown/render-markdown.js';
import { expandTabs, wrapSpans } from './spans.js';

type CallItem = Extract<Item, { kind: 'call' }>;

export type CallRowsOptions = {
  readonly width: number;
  readonly theme: Theme;
  readonly cwd: string;
  readonly whole?: boolean;
  readonly key?: string;
};

const MOST_DIFF_LINES = 20;
const MOST_ERROR_LINES = 5;
const MOST_OUTPUT_LINES = 3;
/** Output of the user's own commands is shown at length. */
const MOST_OWN_LINES = 200;
/** Shorter calls show no duration. */
const SHORTEST_MS = 1_000;
const INDENT = '    ';

export function callRows(item: CallItem, options: CallRowsOptions): Promise<string[]> | string[] {
  const isDiff = !item.isError && factsOf(item.tool).result === 'diff';
  return isDiff ? editRows(item, options) : [headRow(item, options), ...resultRows(item, options)];
}

async function editRows(item: CallItem, options: CallRowsOptions): Promise<string[]> {
  const diff = (await editDiff(item.tool, item.input, (line) => expandTabs(stripControls(line)))) ?? [];
  const { width, theme, whole, key } = options;
  const most = whole ? undefined : MOST_DIFF_LINES;
  return [
    headRow(item, options, diff),
    ...diffRows(diff, { width, theme, most, ...(key === undefined ? {} : { key }) }),
  ];
}

function headRow(item: CallItem, options: CallRowsOptions, diff: readonly DiffLine[] = []): string {
  const { theme, width, cwd } = options;
  const { tool, input, isError, ms } = item;
  const lines = factsOf(tool).result === 'lines' && !isError ? resultLines(item.result).length : 0;
  const facts = [
    ...(lines > 0 ? [theme.dim(plural(lines, 'line'))] : []),
    ...(ms >= SHORTEST_MS ? [theme.dim(clockTime(ms))] : []),
    ...(isError ? [theme.bad('failed')] : []),
  ];
  const mark = isError ? theme.bad('✗ ') : '  ';
  return callLine(tool, input, { width, theme, cwd, mark, facts, counts: diffCounts(diff, theme) });
}

function resultRows(item: CallItem, options: CallRowsOptions): string[] {
  const { isError } = item;
  const { width, theme, whole = false, key = 'ctrl+o' } = options;
  const lines = shownLines(item, whole).map(expandTabs);
  const most = whole ? lines.length : item.isOwn ? MOST_OWN_LINES : isError ? MOST_ERROR_LINES : MOST_OUTPUT_LINES;
  const style = isError ? theme.bad : item.isOwn ? (text: string) => text : theme.dim;
  const rows = lines.slice(0, most).flatMap((line) => {
    if (!whole && !item.isOwn) return [clip(`${INDENT}${style(line)}`, width)];
    return wrapSpans([{ text: line, style }], { width, first: INDENT, hard: true });
  });
  const left = lines.length - most;
  return [
    ...(whole ? documentRows(item, options) : []),
    ...rows,
    ...(left > 0 ? [moreRow(left, { width, theme, key, indent: INDENT })] : []),
  ];
}

function shownLines({ tool, result, isError }: CallItem, whole: boolean): readonly string[] {
  const { result: style, linesForUser } = factsOf(tool);
  if (!whole && !isError && style !== undefined && style !== 'prose') return [];
  const lines = resultLines(result);
  return whole ? lines : (linesForUser?.(lines, isError) ?? lines);
}

function documentRows({ tool, input }: CallItem, { width, theme }: CallRowsOptions): string[] {
  const { document } = factsOf(tool);
  const text = document === undefined ? undefined : member(input, document);
  if (typeof text !== 'string') return [];
  return renderMarkdown(text.trim(), { width: width - INDENT.length, theme }).map((row) => `${INDENT}${row}`);
}
