/** The tree, full screen. */

import { expect, it } from 'vitest';
import { TreePage } from '../../../../../src/front/tui/pages/tree-page.js';
import { agent, viewOf } from '../../view/tree/sample-view.js';
import { PLAIN } from '../identity-theme.js';

const key = (name: string) => ({ kind: 'key' as const, name });

it('TU-8: everything is open, keys act, esc closes', () => {
  const told: unknown[] = [];
  let agents = [agent('a', { startedAt: 1 }), agent('b', { startedAt: 2, parent: 'a', type: 'explore' })];
  const page = new TreePage({
    view: () => viewOf(agents),
    theme: () => PLAIN,
    pageHost: { close: () => told.push('closed'), paint: () => {} },
    act: (action) => told.push(action),
  });
  const size = { columns: 61, rows: 10 };
  expect(page.frame(size, 1_000).rows).toEqual([
    'agents 2 · 2 running',
    '› ● a · working · 0:00',
    '    ● b · working · 0:00',
    '  enter view · esc back · x x stop · m write · / filter',
  ]);
  page.press(key('down'));
  page.press(key('enter'));
  page.press(key('esc'));
  expect(told).toEqual([{ kind: 'view', agent: 'b' }, 'closed']);
  agents = [];
  expect(page.frame(size, 1_000).rows).toEqual(['No agents or background commands. esc back']);
  page.press(key('esc'));
  expect(told).toHaveLength(3);
});
