/** Lines of a diff as rows: signs and colours; folded to a number of lines, or all of them. */

import { plural } from '../../../protocol/format-numbers.js';
import type { DiffLine } from '../../view/edit-diff.js';
import { clip } from '../screen/width.js';
import type { Style, Theme } from '../theme/theme.js';
import { expandTabs, wrapSpans } from './spans.js';

export type DiffRowsOptions = {
  readonly width: number;
  readonly theme: Theme;
  /** The maximum number of lines; the rest is counted. Undefined: all, and long ones in several rows. */
  readonly most?: number | undefined;
  /** The key that shows all. */
  readonly key?: string;
  readonly indent?: string;
};

export function diffRows(diff: readonly DiffLine[], options: DiffRowsOptions): string[] {
  const { width, theme, most = diff.length, key = 'ctrl+o', indent = '    ' } = options;
  const rows = diff.slice(0, most).flatMap(({ sign, text }) => {
    const style = styleOf(sign, theme);
    const line = expandTabs(text);
    if (options.most !== undefined) return [clip(`${indent}${style(`${sign} ${line}`)}`, width)];
    return wrapSpans([{ text: line, style }], {
      width,
      first: `${indent}${style(`${sign} `)}`,
      rest: `${indent}  `,
      hard: true,
    });
  });
  return diff.length > most ? [...rows, moreRow(diff.length - most, { width, theme, key, indent })] : rows;
}

function styleOf(sign: DiffLine['sign'], theme: Theme): Style {
  switch (sign) {
    case '+':
      return theme.added;
    case '-':
      return theme.removed;
    case ' ':
      return theme.dim;
    default:
      return sign satisfies never;
  }
}

type MoreRowOptions = { readonly width: number; readonly theme: Theme; readonly key: string; readonly indent: string };

/** The number of hidden lines, and the key that shows them. */
export function moreRow(left: number, { width, theme, key, indent }: MoreRowOptions): string {
  return clip(theme.dim(`${indent}… ${plural(left, 'more line')} (${key})`), width);
}

/** `+3 −1`; what is 0 is left out. */
export function diffCounts(diff: readonly DiffLine[], theme: Theme): string {
  const count = (wanted: DiffLine['sign']) => diff.filter(({ sign }) => sign === wanted).length;
  const [added, removed] = [count('+'), count('-')];
  const parts = [
    ...(added > 0 ? [theme.added(`+${added}`)] : []),
    ...(removed > 0 ? [theme.removed(`−${removed}`)] : []),
  ];
  return parts.join(' ');
}
