import { expect, it } from 'vitest';
import { LineEditor } from '../../../../../src/front/tui/input/line-editor.js';
import { key } from '../panels/question-stage.js';

function typed(...names: readonly string[]): LineEditor {
  const line = new LineEditor();
  for (const name of names) expect(line.press(key(name))).toBe(true);
  return line;
}

it('TU-18: a line has the editing keys of the prompt: arrows, words, cuts, undo', () => {
  expect(typed(...'use npm', 'alt+b', ...'p', 'ctrl+right', '!').text.trim()).toBe('use pnpm!');
  const cut = typed(...'one two', 'ctrl+w', 'ctrl+a', 'ctrl+y', 'ctrl+e');
  expect([cut.before, cut.after]).toEqual(['twoone ', '']);
  const undone = typed(...'ab', 'backspace', 'ctrl+_', 'left');
  expect([undone.before, undone.after]).toEqual(['a', 'b']);
  expect(typed(...'ab', 'left', 'left', 'right', 'delete').text).toBe('a');
});

it('keys without a meaning in a line are left to the program', () => {
  const line = new LineEditor('x');
  expect(
    ['up', 'pageup', 'enter', 'esc', 'ctrl+g', 'ctrl+c', 'shift+enter'].map((name) => line.press(key(name))),
  ).toEqual(Array(7).fill(false));
  expect(line.press({ kind: 'paste', text: 'a\nb' })).toBe(true);
  expect([line.text, line.before, line.after]).toEqual(['xa\nb', 'xa\nb', '']);
});
