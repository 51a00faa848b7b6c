/** The parts of the screen, without a terminal: widths, frames that fit, the bytes between two frames, sequences. */

import { describe, expect, test } from 'vitest';
import { cleanRow, fitLive } from '../../../../../src/front/tui/screen/fit-frame.js';
import { nothingPainted, type Painted, paint } from '../../../../../src/front/tui/screen/painter.js';
import { resizeBehaviourOf } from '../../../../../src/front/tui/screen/screen.js';
import { clipboard, notification } from '../../../../../src/front/tui/screen/sequences.js';
import { clip, pad, widthOf, wrap } from '../../../../../src/front/tui/screen/width.js';

const SIZE = { columns: 40, rows: 10 };

describe('widths', () => {
  test('columns, not characters', () => {
    expect([widthOf('abc'), widthOf('你好'), widthOf('\u001b[31mred\u001b[39m'), widthOf('e\u0301')]).toEqual([
      3, 4, 3, 1,
    ]);
    expect(pad('你', 4)).toBe('你  ');
  });

  test('cut text ends in …, with its codes closed', () => {
    expect(clip('abcdef', 4)).toBe('abc…');
    expect(clip('\u001b[31mabcdef\u001b[39m', 4)).toBe('\u001b[31mabc…\u001b[0m');
    expect(widthOf(clip('你好世界', 4))).toBeLessThanOrEqual(4);
  });

  test('each row of a wrapped text opens and closes its codes, of 256 colours too', () => {
    expect(wrap('\u001b[38;5;9mone two\u001b[39m', 4)).toEqual([
      '\u001b[38;5;9mone \u001b[0m',
      '\u001b[38;5;9mtwo\u001b[39m',
    ]);
    expect(wrap('a\nb', 10)).toEqual(['a', 'b']);
  });
});

describe('a frame that fits', () => {
  test('TU-1: at most rows - 1, with the cursor’s row', () => {
    const rows = Array.from({ length: 30 }, (_, row) => `row ${row}`);
    const fitted = fitLive({ rows, cursor: { row: 3, column: 2 } }, SIZE, false);
    expect(fitted.rows).toHaveLength(9);
    expect(fitted.rows[fitted.cursor?.row ?? -1]).toBe('row 3');
    expect(fitLive({ rows }, SIZE, false).rows.at(-1)).toBe('row 29');
  });

  test('TU-30: nothing in a row controls the terminal', () => {
    expect(cleanRow('a\u001b[2Jb\u001b]0;t\u0007c\nd\u001b[31me\u009b')).toBe('a[2Jb]0;tcd\u001b[31me');
  });

  test('short while the window gets narrower; joined emoji are separated, but not at the cursor', () => {
    expect(fitLive({ rows: ['x'.repeat(39)] }, SIZE, true).rows[0]).toHaveLength(24);
    const rows = ['👩‍👧', '👩‍👧'];
    expect(fitLive({ rows, cursor: { row: 1, column: 2 } }, SIZE, false).rows).toEqual(['👩👧', '👩‍👧']);
  });
});

describe('the bytes between two frames', () => {
  const request = { size: SIZE, history: [], now: 1000, reflows: true };
  const first = paint(nothingPainted(SIZE), {
    ...request,
    frame: { rows: ['one 1', 'two'], cursor: { row: 1, column: 3 } },
  });

  function next(painted: Painted, rows: string[], history: string[] = []) {
    return paint(painted, { ...request, history, frame: { rows, cursor: { row: 1, column: 3 } } });
  }

  test('none if nothing changed', () => {
    expect(next(first.painted, ['one 1', 'two']).bytes).toBe('');
  });

  test('only the changed part of a row', () => {
    const { bytes } = next(first.painted, ['one 2', 'two']);
    expect(bytes).toContain('2');
    expect(bytes).not.toMatch(/one|two/);
  });

  test('history leaves the live rows alone, unless a row has an uncertain width', () => {
    expect(next(first.painted, ['one 1', 'two'], ['said']).bytes).not.toMatch(/one|two/);
    expect(next(first.painted, ['one 1', 'two'], ['👩‍👧']).bytes).toMatch(/one 1[\s\S]*two/);
  });

  test('every frame is shown at once, with autowrap off', () => {
    expect(first.bytes).toMatch(/^.\[\?2026h.\[\?25l.\[\?7l[\s\S]*\[\?7h.\[\?25h.\[\?2026l$/);
  });
});

describe('sequences', () => {
  test('TU-19: a copy is wrapped for tmux; one that is too long is not sent', () => {
    expect(clipboard('hi', {})).toBe('\u001b]52;c;aGk=\u001b\\');
    const plain = '\u001b]52;c;aGk=\u001b\\';
    const handedOn = '\u001bPtmux;\u001b\u001b]52;c;aGk=\u001b\u001b\\\u001b\\';
    expect(clipboard('hi', { TMUX: '1' })).toBe(plain + handedOn);
    expect(clipboard('x'.repeat(100_000), {})).toBeUndefined();
  });

  test('TU-30: notifications are clean, their titles too', () => {
    expect(notification('osc777', { title: 'a\u0007b\u001b]52;c;aGk=\u0007c', text: 'd' }, {})).toBe(
      '\u001b]777;notify;abc;d\u001b\\',
    );
    expect(notification('osc777', { title: 'a;b', text: 'c\nd' }, {})).toBe('\u001b]777;notify;a,b;c d\u001b\\');
  });

  test('tmux rewraps rows whatever TERM is; xterm and the console cut them', () => {
    expect(resizeBehaviourOf({ TERM: 'screen-256color', TMUX: '1' }).reflows).toBe(true);
    expect(
      [{ TERM: 'screen' }, { TERM: 'linux' }, { TERM: 'xterm', XTERM_VERSION: '1' }].map(
        (env) => resizeBehaviourOf(env).reflows,
      ),
    ).toEqual([false, false, false]);
  });
});
