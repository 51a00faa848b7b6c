/** The status line. */

import { expect, it } from 'vitest';
import { type StatusFacts, statusRows } from '../../../../../src/front/tui/parts/status-rows.js';
import { widthOf } from '../../../../../src/front/tui/screen/width.js';
import fc from '../../../../support/fast-check.js';
import { PLAIN } from '../identity-theme.js';

const facts: StatusFacts = {
  model: 'opus',
  mode: 'default',
  contextShare: 0.41,
  cost: 0.32,
  branch: 'main*',
  agents: 0,
  questions: 0,
  hints: '? keys',
};

it('TU-28: model, mode, context, cost, branch and keys', () => {
  expect(statusRows(facts, 80, PLAIN)).toEqual(['opus · default · ctx 41% · $0.32 · main* · ? keys']);
  expect(statusRows({ ...facts, contextShare: undefined, cost: undefined, branch: undefined }, 80, PLAIN)).toEqual([
    'opus · default · ? keys',
  ]);
});

it('TU-28: agents and questions are added, and stay in a narrow window', () => {
  const busy = { ...facts, agents: 12, questions: 3 };
  const row = 'opus · default · ctx 41% · $0.32 · main* · 12 agents · 3 questions · ? keys';
  expect(statusRows(busy, 200, PLAIN)).toEqual([row]);
  expect(statusRows(busy, 80, PLAIN)).toEqual([row]);
  expect(statusRows(busy, 40, PLAIN)).toEqual(['opus · $0.32 · 12 agents · 3 questions']);
  expect(statusRows({ ...facts, agents: 1, questions: 1 }, 20, PLAIN)).toEqual(['1 agent · 1 question']);
});

it('EX-22: rows of the user’s command replace it; agents and questions stay', () => {
  const own = ['mine', 'x'.repeat(30)];
  expect(statusRows({ ...facts, own }, 20, PLAIN)).toEqual(['mine', `${'x'.repeat(19)}…`]);
  expect(statusRows({ ...facts, own, agents: 2, questions: 1 }, 40, PLAIN)).toEqual([
    'mine',
    'x'.repeat(30),
    '2 agents · 1 question',
  ]);
});

it('TU-30: a branch name can’t write on the screen', () => {
  expect(statusRows({ ...facts, branch: 'a\u001b]0;x\u0007b\nc' }, 80, PLAIN)).toEqual([
    'opus · default · ctx 41% · $0.32 · ab c · ? keys',
  ]);
});

it('TU-28: never wider than the width', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 30 });
  const any = fc.record({
    model: text,
    mode: text,
    branch: text,
    agents: fc.nat(),
    questions: fc.nat(),
    own: fc.array(text),
  });
  fc.assert(
    fc.property(any, fc.nat({ max: 100 }), (some, width) => {
      for (const row of statusRows({ ...facts, ...some }, width, PLAIN))
        expect(widthOf(row)).toBeLessThanOrEqual(width);
    }),
  );
});
