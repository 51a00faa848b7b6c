/** The last row of a focused tree: its keys, or the result of the last one. */

import { type Cell, cellRow } from '../parts/cells.js';
import { clip } from '../screen/width.js';
import type { Theme } from '../theme/theme.js';

export type KeysRow = {
  /** Shown instead of the keys. */
  readonly note: string;
  readonly filter: string;
  /** Number of lines that are not on the screen. */
  readonly more: number;
  readonly marked: number;
};

/** Default keys and labels. The last ones are dropped first in a narrow window. */
const KEYS = {
  'tree:view': ['enter', 'view'],
  'tree:leave': ['esc', 'back'],
  'tree:stop': ['x', 'stop'],
  'tree:write': ['m', 'write'],
  'tree:filter': ['/', 'filter'],
  'tree:open': ['→', 'open'],
  'tree:resume': ['r', 'resume'],
  'tree:background': ['b', 'background'],
  'tree:diff': ['d', 'diff'],
  'tree:apply': ['A', 'apply'],
  'tree:mark': ['space', 'mark'],
  'tree:compare': ['=', 'compare'],
} as const;

type TreeKey = keyof typeof KEYS;

/** The key of an action, as bound; empty: none. */
export type KeyOfTree = (action: TreeKey) => string;

export const DEFAULT_KEYS: KeyOfTree = (action) => KEYS[action][0];

export function keysRow(shown: KeysRow, keyOf: KeyOfTree, width: number, theme: Theme): string {
  const { note, filter, more, marked } = shown;
  const room = Math.max(0, width - 2);
  const where: Cell[] = [{ text: more === 0 ? '' : `… ${more} more` }, { text: filter }];
  if (note !== '') return clip(`  ${cellRow([...where, { text: note, style: theme.warn }], room)}`, width);
  const cells = hints(keyOf, marked > 1).map((text, index): Cell => ({ text, style: theme.dim, goes: -index }));
  return clip(`  ${cellRow([...where, ...cells], room, theme.dim)}`, width);
}

const ARROWS: Readonly<Record<string, string>> = { up: '↑', down: '↓', right: '→', left: '←' };

/** With two or more marked, comparing comes first. */
function hints(keyOf: KeyOfTree, comparesFirst: boolean): readonly string[] {
  const actions = Object.keys(KEYS) as TreeKey[];
  const rest = actions.filter((action) => action !== 'tree:compare');
  const ordered: readonly TreeKey[] = comparesFirst ? ['tree:compare', ...rest] : actions;
  return ordered.flatMap((action) => {
    const bound = keyOf(action);
    const key = ARROWS[bound] ?? bound;
    // The first press only asks.
    const keys = action === 'tree:stop' ? `${key} ${key}` : key;
    return key === '' ? [] : [`${keys} ${KEYS[action][1]}`];
  });
}
