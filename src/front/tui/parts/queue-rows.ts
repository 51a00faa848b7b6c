/** Unread messages of the user, one row each (TU-22). */

import { stripControls } from '../../../gate/permissions/strip-controls.js';
import { plural } from '../../../protocol/format-numbers.js';
import { type FrozenBlock, parseBlock } from '../../../protocol/frozen-block.js';
import type { QueuedInput } from '../../view/agent-queue.js';
import { oneLine } from '../../view/tree/agent-label.js';
import { clip } from '../screen/width.js';
import type { Theme } from '../theme/theme.js';

export type QueueOptions = {
  readonly width: number;
  readonly maxRows: number;
  readonly theme: Theme;
  /** The key that takes the last one back, as bound. */
  readonly takeBackKey?: string;
};

/** `held`: it waits until this turn is over. */
type Queued = QueuedInput & { readonly held?: boolean };

/** Oldest first. Rows that don't fit are counted. */
export function queueRows(queue: readonly Queued[], { width, maxRows, theme, takeBackKey }: QueueOptions): string[] {
  if (maxRows < 1) return [];
  const fits = queue.length <= maxRows;
  const shown = fits ? queue : queue.slice(0, maxRows - 1);
  const rows = shown.map((input) => `  ${input.held === true ? 'after this turn' : 'queued'}: ${textOf(input.blocks)}`);
  const back = takeBackKey === undefined ? '' : ` · ${takeBackKey} takes the last back`;
  const all = fits ? rows : [...rows, `  … ${queue.length - shown.length} more queued${back}`];
  return all.map((row) => theme.dim(clip(row, width)));
}

/** Its first line; images and further lines are counted. */
function textOf(blocks: readonly FrozenBlock[]): string {
  let text = '';
  let attached = 0;
  for (const frozen of blocks) {
    const block = parseBlock(frozen);
    if (block.type === 'text') text += text === '' ? block.text : `\n${block.text}`;
    else attached += 1;
  }
  const lines = stripControls(text).trim().split('\n');
  const more = lines.length === 1 ? '' : ` … (+${plural(lines.length - 1, 'line')})`;
  return `${oneLine(lines[0] ?? '')}${more}${attached === 0 ? '' : ` [+${attached} attached]`}`;
}
