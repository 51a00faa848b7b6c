/** Queued messages. */

import { expect, it } from 'vitest';
import { queueRows } from '../../../../../src/front/tui/parts/queue-rows.js';
import { freezeBlock } from '../../../../../src/protocol/frozen-block.js';
import { PLAIN } from '../identity-theme.js';

const said = (seq: number, text: string, held?: true) => ({
  seq,
  blocks: [freezeBlock({ type: 'text', text })],
  ...(held ? { held } : {}),
});

it('TU-22: each queued message has its own row', () => {
  const queue = [said(1, 'then the changelog'), said(2, 'and\nthe\nreadme'), said(3, 'commit', true)];
  expect(queueRows(queue, { width: 80, maxRows: 4, theme: PLAIN })).toEqual([
    '  queued: then the changelog',
    '  queued: and … (+2 lines)',
    '  after this turn: commit',
  ]);
  expect(queueRows(queue, { width: 24, maxRows: 2, theme: PLAIN })).toEqual([
    '  queued: then the chan…',
    '  … 2 more queued',
  ]);
  expect(queueRows(queue, { width: 80, maxRows: 1, theme: PLAIN, takeBackKey: 'alt+up' })).toEqual([
    '  … 3 more queued · alt+up takes the last back',
  ]);
  expect(queueRows(queue, { width: 80, maxRows: 0, theme: PLAIN })).toEqual([]);
});

it('TU-30: pasted text can’t write on the screen', () => {
  expect(queueRows([said(1, 'a\u001b[2Jb')], { width: 80, maxRows: 4, theme: PLAIN })).toEqual(['  queued: ab']);
});
