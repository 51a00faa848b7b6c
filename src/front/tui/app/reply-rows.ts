/** The rows of a reply: a mark before the first, the others in line with it. */

import type { Theme } from '../theme/theme.js';

export function replyRows(rows: readonly string[], theme: Theme, isFirst: boolean): readonly string[] {
  return rows.map((row, index) =>
    index === 0 && isFirst ? `${theme.accent('●')} ${row}` : row === '' ? '' : `  ${row}`,
  );
}
