import { describe, expect, it } from 'vitest';
import { Editor } from '../../../../../../src/front/tui/input/editor/editor.js';
import { Vim } from '../../../../../../src/front/tui/input/editor/vim.js';
import type { KeyEvent } from '../../../../../../src/front/tui/input/key-event.js';
import fc from '../../../../../support/fast-check.js';
import { press } from '../typing.js';

/** A text in normal mode, the cursor at its start. */
function normal(text: string) {
  const editor = new Editor();
  editor.set(text);
  const vim = new Vim(editor);
  vim.press(press('esc'));
  editor.buffer.moveTo({ line: 0, cell: 0 });
  const key = (one: KeyEvent) => {
    if (vim.press(one) === 'taken' || one.kind !== 'key') return;
    // The app's handling of keys that vim ignores.
    if (one.text !== undefined) editor.insert(one.text);
    else if (one.name === 'backspace') editor.act('deleteLeft');
  };
  /** `<esc>` and the like are names; everything else is typed. */
  const type = (keys: string) => {
    for (const [, name, char] of keys.matchAll(/<([^>]+)>|(.)/gsu))
      key(press(name ?? (char === ' ' ? 'space' : (char ?? ''))));
  };
  return { editor, vim, type };
}

function result(text: string, keys: string): string {
  const { editor, type } = normal(text);
  type(keys);
  const { line, cell } = editor.buffer.cursor;
  const lines = editor.text.split('\n');
  const cells = editor.buffer.lineAt(line).cells;
  lines[line] = [...cells.slice(0, cell), '|', ...cells.slice(cell)].join('');
  return lines.join('\n');
}

describe('vim, motions', () => {
  it.each([
    ['one two', 'w', 'one |two'],
    ['one two', '2l', 'on|e two'],
    ['one two', 'llh', 'o|ne two'],
    ['a.b c', 'w', 'a|.b c'],
    ['a.b c', 'W', 'a.b |c'],
    ['one two', 'e', 'on|e two'],
    ['one two', 'ee', 'one tw|o'],
    ['one two', '$', 'one tw|o'],
    ['one two', '$b', 'one |two'],
    ['one two', '$0', '|one two'],
    ['  one', '$^', '  |one'],
    ['a\nb\nc', 'G', 'a\nb\n|c'],
    ['a\nb\nc', 'Ggg', '|a\nb\nc'],
    ['a\nb\nc', '2G', 'a\n|b\nc'],
    ['abc\nd\nabc', '$jj', 'abc\nd\nab|c'],
    ['abc\nd\nabc', '$j0j', 'abc\nd\n|abc'],
    ['a\nb', 'jk', '|a\nb'],
    ['one\n\ntwo', 'ww', 'one\n\n|two'],
    ['a(b)c(d)', 'f(', 'a|(b)c(d)'],
    ['a(b)c(d)', 'f(;', 'a(b)c|(d)'],
    ['a(b)c(d)', '2f(,', 'a|(b)c(d)'],
    ['a(b)c(d)', 't)', 'a(|b)c(d)'],
    ['a(b)c(d)', '$F(', 'a(b)c|(d)'],
    ['a(b)c(d)', '$T(', 'a(b)c(|d)'],
    ['a b', 'f ', 'a| b'],
  ])('in %j %s goes to %j', (text, keys, expected) => {
    expect(result(text, keys)).toBe(expected);
  });
});

describe('vim, changes', () => {
  it.each([
    ['one two', 'x', '|ne two'],
    ['one two', '3x', '| two'],
    ['one two', 'rX', '|Xne two'],
    ['one two', '3rX', 'XX|X two'],
    ['one two', 'dw', '|two'],
    ['one two\nx', 'wdw', 'one| \nx'],
    ['one two three', 'd2w', '|three'],
    ['one two three', '2dw', '|three'],
    ['one two', 'de', '| two'],
    ['one two', 'd$', '|'],
    ['one two', 'wD', 'one| '],
    ['one two', '$db', 'one |o'],
    ['a\nb\nc', 'dd', '|b\nc'],
    ['a\nb\nc', '2dd', '|c'],
    ['a\nb\nc', 'Gdd', 'a\n|b'],
    ['a\nb\nc', 'dj', '|c'],
    ['a\nb\nc', 'dG', '|'],
    ['a\nb\nc', 'jdgg', '|c'],
    ['f(a, b)', 'f(ldt)', 'f(|)'],
    ['f(a, b)', 'df(', '|a, b)'],
    ['one two', 'cwsix<esc>', 'si|x two'],
    ['one two', 'wciwsix<esc>', 'one si|x'],
    ['one two three', 'wdaw', 'one |three'],
    ['a\nb', 'ccx<esc>', '|x\nb'],
    ['one two', 'wCx<esc>', 'one |x'],
    ['one', 'ix<esc>', '|xone'],
    ['one', 'ax<esc>', 'o|xne'],
    ['  one', 'Ix<esc>', '  |xone'],
    ['one', 'Ax<esc>', 'one|x'],
    ['a\nb', 'ox<esc>', 'a\n|x\nb'],
    ['a\nb', 'Ox<esc>', '|x\na\nb'],
    ['one two', 'sX<esc>', '|Xne two'],
    ['a\n  b', 'J', 'a| b'],
    ['aB', '~~', 'A|b'],
  ])('in %j %s makes %j', (text, keys, expected) => {
    expect(result(text, keys)).toBe(expected);
  });

  it.each([
    ['ab', 'xp', 'b|a'],
    ['ab', 'xP', '|ab'],
    ['a\nb', 'yyp', 'a\n|a\nb'],
    ['a\nb', 'jyyP', 'a\n|b\nb'],
    ['a\nb', 'ddp', 'b\n|a'],
    ['one two', 'yw$p', 'one twoone| '],
    ['ab', 'yl3p', 'aaa|ab'],
  ])('what was taken is put: in %j %s makes %j', (text, keys, expected) => {
    expect(result(text, keys)).toBe(expected);
  });

  it.each([
    ['abcdef', 'x..', '|def'],
    ['one two three', 'dw.', '|three'],
    ['one two', 'cwx<esc>w.', 'x |x'],
    ['a\nb', 'A!<esc>j.', 'a!\nb|!'],
    ['abc', 'xu', '|abc'],
    ['abc', 'xxuu<ctrl+r>', '|bc'],
    ['ab', 'aXY<backspace><esc>.', 'aX|Xb'],
  ])('is repeated and undone: in %j %s makes %j', (text, keys, expected) => {
    expect(result(text, keys)).toBe(expected);
  });
});

describe('vim, selections', () => {
  it.each([
    ['one two', 'vlld', '| two'],
    ['one two', 'wvbd', '|wo'],
    ['a\nb\nc', 'Vjd', '|c'],
    ['one two', 'vecx<esc>', '|x two'],
    ['abc', 'lvohd', '|c'],
  ])('in %j %s makes %j', (text, keys, expected) => {
    expect(result(text, keys)).toBe(expected);
  });

  it('are visible', () => {
    const { editor, vim, type } = normal('one two');
    type('ve');
    expect(vim.mode).toBe('visual');
    expect(editor.rows(40, 2).rows).toEqual(['\u001b[7mone\u001b[27m two']);
    type('<esc>');
    expect(editor.rows(40, 2).rows).toEqual(['one two']);
  });
});

describe('vim, modes', () => {
  it('TU-18: Esc goes to normal mode first, cancels incomplete commands, and never clears', () => {
    const { editor, vim, type } = normal('draft');
    type('A more');
    expect(vim.mode).toBe('insert');
    expect(vim.press(press('esc'))).toBe('taken');
    expect(vim.mode).toBe('normal');
    type('2d');
    expect(vim.pending).toBe('2d');
    expect(vim.press(press('esc'))).toBe('taken');
    expect(vim.pending).toBe('');
    expect(vim.press(press('esc'))).toBe('ignored');
    expect(editor.text).toBe('draft more');
  });

  it('leaves keys other than characters to the app', () => {
    const { vim } = normal('draft');
    for (const name of ['enter', 'up', 'ctrl+c', 'tab', 'shift+tab']) expect(vim.press(press(name))).toBe('ignored');
    expect(vim.press({ kind: 'paste', text: 'x' })).toBe('ignored');
    expect(normal('').vim.press(press('?'))).toBe('ignored');
  });

  it('TU-18: no keys in normal mode type text, and undo restores every text', () => {
    const keys = fc.array(
      fc.constantFrom(
        ...'hjklwbe0^$Gg;,fFtTxXrdcyDCYpPuiaIAoOJ~.vV123'.split(''),
        'esc',
        'ctrl+r',
        'space',
        'backspace',
      ),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(fc.constantFrom('', 'one two', 'a.b\n\n  c d\n👍 é'), keys, (text, names) => {
        const { editor, vim } = normal(text);
        for (const name of names) {
          const wasNormal = vim.mode !== 'insert';
          if (vim.press(press(name)) === 'ignored' && !wasNormal) editor.insert(press(name).text ?? '');
          const { line, cell } = editor.buffer.cursor;
          expect(line).toBeLessThan(editor.buffer.lines.length);
          expect(cell).toBeLessThanOrEqual(editor.buffer.lineAt(line).length);
        }
        while (editor.undo());
        expect(editor.text).toBe('');
        while (editor.act('redo'));
      }),
    );
  });
});
