import { describe, expect, it } from 'vitest';
import { ACTS, type EditAction } from '../../../../../../src/front/tui/input/editor/edit-actions.js';
import { Editor } from '../../../../../../src/front/tui/input/editor/editor.js';
import { widthOf } from '../../../../../../src/front/tui/screen/width.js';
import fc from '../../../../../support/fast-check.js';

describe('rows of the editor', () => {
  it('TU-19: the cursor is where the next character will be, with wide ones two columns wide', () => {
    const editor = new Editor();
    editor.insert('你好a');
    expect(editor.rows(20, 5)).toEqual({ rows: ['你好a'], cursor: { row: 0, column: 5 } });
    editor.act('left');
    editor.act('left');
    expect(editor.rows(20, 5).cursor).toEqual({ row: 0, column: 2 });
  });

  it('break after spaces, else anywhere, and leave a column for the cursor', () => {
    const editor = new Editor();
    editor.set('the quick brown fox\nabcdefghijkl');
    expect(editor.rows(11, 10)).toEqual({
      rows: ['the quick ', 'brown fox', 'abcdefghij', 'kl'],
      cursor: { row: 3, column: 2 },
    });
  });

  it('show the part around the cursor, which scrolls only when the cursor leaves it', () => {
    const editor = new Editor();
    editor.set(Array.from({ length: 20 }, (_, at) => `${at}`).join('\n'));
    expect(editor.rows(20, 4)).toEqual({ rows: ['16', '17', '18', '19'], cursor: { row: 3, column: 2 } });
    editor.act('up');
    editor.act('up');
    expect(editor.rows(20, 4)).toEqual({ rows: ['16', '17', '18', '19'], cursor: { row: 1, column: 2 } });
    editor.act('textStart');
    expect(editor.rows(20, 4)).toEqual({ rows: ['0', '1', '2', '3'], cursor: { row: 0, column: 0 } });
    editor.set('');
    expect(editor.rows(20, 4)).toEqual({ rows: [''], cursor: { row: 0, column: 0 } });
  });

  it('TU-30: escape invisible characters, and never contain a control character', () => {
    const editor = new Editor();
    editor.set('a\u202eb\u200bc\u001b[31m\td');
    expect(editor.rows(60, 4).rows).toEqual(['a\\u{202e}b\\u{200b}c[31m    d']);
  });

  it('10,000 lines: a key measures no more than is visible', () => {
    let measured = 0;
    const editor = new Editor((text) => {
      measured += 1;
      return widthOf(text);
    });
    editor.set(Array.from({ length: 10_000 }, (_, at) => `é line ${at} é`).join('\n'));
    editor.rows(80, 10);
    expect(measured).toBeLessThan(200);
    measured = 0;
    editor.insert('ü');
    editor.rows(80, 10);
    editor.act('up');
    editor.rows(80, 10);
    expect(measured).toBeLessThan(200);
  });
});

const actions = Object.keys(ACTS) as EditAction[];
const step = fc.oneof(
  fc.record({ kind: fc.constant('act' as const), action: fc.constantFrom(...actions) }),
  fc.record({ kind: fc.constant('insert' as const), text: fc.string({ unit: 'grapheme', maxLength: 4 }) }),
  fc.record({
    kind: fc.constant('insert' as const),
    text: fc.constantFrom(' ', '\n', '\t', '\u200d', '👩', '\u0301', '你', '🇩'),
  }),
  fc.record({ kind: fc.constant('paste' as const), text: fc.constantFrom('two\nlines', 'x\n'.repeat(12)) }),
);
type Step = Parameters<Parameters<typeof step.map>[0]>[0];

function perform(editor: Editor, one: Step): void {
  if (one.kind === 'act') editor.act(one.action);
  else if (one.kind === 'insert') editor.insert(one.text);
  else editor.paste(one.text);
}

describe('any edits', () => {
  it('TU-19: keep rows within the width and the cursor inside', () => {
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 30 }),
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 1, max: 6 }),
        (steps, width, most) => {
          const editor = new Editor();
          for (const one of steps) {
            perform(editor, one);
            const { rows, cursor } = editor.rows(width, most);
            expect(rows.length).toBeLessThanOrEqual(most);
            for (const row of rows) expect(widthOf(row)).toBeLessThanOrEqual(width);
            expect(cursor.row).toBeLessThan(rows.length);
            expect(cursor.column).toBeLessThan(width);
            const { line, cell } = editor.buffer.cursor;
            expect(line).toBeLessThan(editor.buffer.lines.length);
            expect(cell).toBeLessThanOrEqual(editor.buffer.lineAt(line).length);
          }
        },
      ),
      {
        examples: [
          [
            [
              { kind: 'insert', text: ' ' },
              { kind: 'insert', text: '!!' },
              { kind: 'paste', text: 'x\n'.repeat(12) },
            ],
            4,
            1,
          ],
        ],
      },
    );
  });

  it('TU-18: undo restores exactly the earlier texts, and redo the later ones', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const editor = new Editor();
        const seen = new Set<string>(['']);
        for (const one of steps) {
          perform(editor, one);
          seen.add(editor.text);
        }
        const last = editor.text;
        while (editor.undo()) expect(seen).toContain(editor.text);
        expect(editor.text).toBe('');
        while (editor.act('redo')) expect(seen).toContain(editor.text);
        if (!steps.some((one) => one.kind === 'act' && one.action === 'undo')) expect(editor.text).toBe(last);
      }),
    );
  });
});
