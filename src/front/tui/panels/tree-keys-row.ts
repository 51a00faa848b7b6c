/** The last row of a tree that has the focus: what its keys do, or what the last one came to. */

import { type Cell, cellRow } from '../parts/cells.js';
import { clip } from '../screen/width.js';
import type { Theme } from '../theme/theme.js';

export type KeysRow = {
  /** Instead of the keys. */
  readonly note: string;
  readonly filter: string;
  /** Lines that are not on the screen. */
  readonly more: number;
  readonly marked: number;
};

/** Those at the end go first where it is narrow. */
const KEYS = [
  'enter view',
  'esc back',
  'x x stop',
  'm write',
  '/ filter',
  '→ open',
  'r resume',
  'b background',
] as const;
const WORK_KEYS = ['d diff', 'A apply', 'space mark', '= compare'] as const;

export function keysRow({ note, filter, more, marked }: KeysRow, width: number, theme: Theme): string {
  const room = Math.max(0, width - 2);
  const where: Cell[] = [{ text: more === 0 ? '' : `… ${more} more` }, { text: filter }];
  if (note !== '') return clip(`  ${cellRow([...where, { text: note, style: theme.warn }], room)}`, width);
  const keys = [...(marked > 1 ? ['= compares'] : []), ...KEYS, ...WORK_KEYS.slice(0, marked > 1 ? -1 : undefined)];
  const cells = keys.map((text, index): Cell => ({ text, style: theme.dim, goes: keys.length - index }));
  return clip(`  ${cellRow([...where, ...cells], room, theme.dim)}`, width);
}
