/** The visible part of the live area when there is little room. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type LiveParts, liveFrame } from '../../../../../src/front/tui/app/live-frame.js';

const many = (name: string, count: number) => Array.from({ length: count }, (_, index) => `${name} ${index + 1}`);

function parts(sizes: Partial<Record<keyof LiveParts, number>> = {}): LiveParts {
  const rows = (name: keyof LiveParts) => (_width: number, most: number) =>
    many(name, Math.min(sizes[name] ?? 0, most));
  return {
    tail: rows('tail'),
    working: () => many('working', sizes.working ?? 0),
    queue: rows('queue'),
    tree: rows('tree'),
    question: (width, most) => ({ rows: rows('question')(width, most) }),
    editor: (width, most) => ({ rows: rows('editor')(width, most), cursor: { row: 0, column: 2 } }),
    menu: rows('menu'),
    status: () => many('status', sizes.status ?? 0),
  };
}

it('TU-1: from top to bottom: the reply, the work, the queue, agents, the question, the editor, the menu, the status line', () => {
  const all = { tail: 1, working: 1, queue: 1, tree: 1, question: 1, editor: 1, menu: 1, status: 1 };
  const { rows, cursor } = liveFrame(parts(all), { columns: 80, rows: 24 });
  expect(rows).toEqual(['tail 1', 'working 1', 'queue 1', 'tree 1', 'question 1', 'editor 1', 'menu 1', 'status 1']);
  expect(cursor).toEqual({ row: 5, column: 2 });
});

it('TU-1: with too little room, the editor, the status line and the question stay', () => {
  const all = { tail: 99, working: 1, queue: 99, tree: 99, question: 3, editor: 1, menu: 0, status: 1 };
  const { rows } = liveFrame(parts(all), { columns: 80, rows: 8 });
  expect(rows).toHaveLength(7);
  expect(rows.filter((row) => !row.startsWith('tree'))).toEqual([
    'working 1',
    'question 1',
    'question 2',
    'question 3',
    'editor 1',
    'status 1',
  ]);
});

it('TU-1: a question with its own line has the cursor', () => {
  const asking: LiveParts = {
    ...parts({ editor: 1, tree: 2 }),
    question: () => ({ rows: ['why?', 'because: '], cursor: { row: 1, column: 9 } }),
  };
  expect(liveFrame(asking, { columns: 80, rows: 24 }).cursor).toEqual({ row: 3, column: 9 });
});

it('TU-1: never more than rows − 1, and the cursor is on one of them', () => {
  const size = fc.integer({ min: 0, max: 60 });
  const record = fc.record({
    tail: size,
    queue: size,
    tree: size,
    question: size,
    menu: size,
    working: fc.integer({ min: 0, max: 3 }),
    status: fc.integer({ min: 0, max: 3 }),
  });
  fc.assert(
    fc.property(record, fc.integer({ min: 1, max: 50 }), fc.integer({ min: 2, max: 60 }), (sizes, editor, rows) => {
      const frame = liveFrame(parts({ ...sizes, editor }), { columns: 80, rows });
      expect(frame.rows.length).toBeLessThanOrEqual(rows - 1);
      expect(frame.rows[frame.cursor?.row ?? -1]).toBe('editor 1');
    }),
  );
});
