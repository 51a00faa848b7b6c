import { describe, expect, it } from 'vitest';
import type { EditAction } from '../../../../../../src/front/tui/input/editor/edit-actions.js';
import { Editor } from '../../../../../../src/front/tui/input/editor/editor.js';

function editing(text = ''): Editor {
  const editor = new Editor();
  for (const char of text) editor.insert(char);
  return editor;
}

/** The text with the cursor as `|`. */
function at(editor: Editor): string {
  const { line, cell } = editor.buffer.cursor;
  const lines = editor.shown.split('\n');
  const cells = editor.buffer.lineAt(line).cells.map((one) => (typeof one === 'string' ? one : one.label));
  lines[line] = [...cells.slice(0, cell), '|', ...cells.slice(cell)].join('');
  return lines.join('\n');
}

function result(text: string, ...actions: readonly EditAction[]): string {
  const editor = editing(text);
  for (const action of actions) editor.act(action);
  return at(editor);
}

describe('readline keys', () => {
  it.each<[string, string, readonly EditAction[]]>([
    ['one two|', 'one two', []],
    ['|one two', 'one two', ['lineStart']],
    ['one tw|o', 'one two', ['left']],
    ['one |two', 'one two', ['wordLeft']],
    ['one| two', 'one two', ['lineStart', 'wordRight']],
    ['one |', 'one two', ['killWordLeft']],
    ['a-|', 'a-b', ['killWordLeft']],
    ['x |', 'x a-b', ['killSpaceLeft']],
    ['| two', 'one two', ['lineStart', 'killWordRight']],
    ['|', 'one two', ['lineStart', 'killToLineEnd']],
    ['|', 'one two', ['killToLineStart']],
    ['a\n|', 'a\nb', ['killToLineStart']],
    ['a|', 'a\nb', ['killToLineStart', 'killToLineStart']],
    ['a|b', 'a\nb', ['up', 'killToLineEnd']],
    ['ba|', 'ab', ['transpose']],
    ['ONE| two', 'one two', ['lineStart', 'upperWord']],
    ['One| two', 'oNE two', ['lineStart', 'capitalWord']],
    ['a\n|', 'a', ['newline']],
    ['|ab', 'a\nb', ['lineStart', 'deleteLeft', 'lineStart']],
    ['a|b', 'a\nb', ['textStart', 'right', 'deleteRight']],
  ])('leave %j', (expected, text, actions) => {
    expect(result(text, ...actions)).toBe(expected);
  });

  it('yank what was cut, consecutive cuts as one, and earlier ones after it', () => {
    const editor = editing('one two three');
    editor.act('killSpaceLeft');
    editor.act('killSpaceLeft');
    expect(at(editor)).toBe('one |');
    editor.act('left');
    editor.act('killToLineStart');
    editor.act('yank');
    expect(at(editor)).toBe('one| ');
    editor.act('yankPop');
    expect(at(editor)).toBe('two three| ');
    editor.act('left');
    expect(editor.act('yankPop')).toBe(false);
  });

  it('move over and delete whole graphemes', () => {
    const editor = editing('a👨‍👩‍👧é🇩🇪');
    expect(editor.buffer.lineAt(0).cells).toEqual(['a', '👨‍👩‍👧', 'é', '🇩🇪']);
    editor.act('deleteLeft');
    editor.act('left');
    editor.act('deleteLeft');
    expect(at(editor)).toBe('a|é');
  });

  it('report whether the cursor could move', () => {
    const editor = editing('one');
    expect(editor.act('up')).toBe(false);
    expect(editor.act('right')).toBe(false);
    expect(editor.act('left')).toBe(true);
  });
});

describe('up and down', () => {
  it('move through the visible rows, and keep the column across short ones', () => {
    const editor = editing('abcdefghij\nx\nabcdefghij');
    editor.rows(21, 10);
    editor.act('up');
    expect(at(editor)).toBe('abcdefghij\nx|\nabcdefghij');
    editor.act('up');
    expect(at(editor)).toBe('abcdefghij|\nx\nabcdefghij');
    const wrapped = editing('abcdefghij');
    wrapped.rows(6, 10);
    wrapped.act('up');
    expect(at(wrapped)).toBe('abcd|efghij');
  });
});

describe('undo', () => {
  it('TU-18: undoes typing by words, and redoes it', () => {
    const editor = editing('fix the tests');
    const seen: string[] = [];
    while (editor.undo()) seen.push(editor.text);
    expect(seen).toEqual(['fix the ', 'fix ', '']);
    while (editor.act('redo')) seen.push(editor.text);
    expect(seen.slice(3)).toEqual(['fix ', 'fix the ', 'fix the tests']);
  });

  it('TU-18: restores cleared or replaced text, with its chips', () => {
    const editor = editing('look: ');
    editor.paste('line\n'.repeat(20));
    const { text } = editor;
    editor.set('');
    editor.set('from the history');
    editor.undo();
    editor.undo();
    expect(editor.text).toBe(text);
    expect(editor.shown).toBe('look: [pasted 20 lines]');
  });

  it('undoes a run of deletions at once, with a new step after each move', () => {
    const editor = editing('abcdef');
    for (let count = 0; count < 3; count += 1) editor.act('deleteLeft');
    editor.act('left');
    editor.act('deleteLeft');
    editor.undo();
    expect(at(editor)).toBe('ab|c');
    editor.undo();
    expect(at(editor)).toBe('abcdef|');
  });
});

describe('chips', () => {
  it('TU-18: a paste over 10 lines is a chip, which is sent in full and deleted as one', () => {
    const editor = editing('see ');
    const text = Array.from({ length: 120 }, (_, line) => `line ${line}`).join('\n');
    editor.paste(text);
    expect(editor.shown).toBe('see [pasted 120 lines]');
    expect(editor.text).toBe(`see ${text}`);
    expect(editor.rows(80, 5).rows).toEqual(['see [pasted 120 lines]']);
    editor.act('deleteLeft');
    expect(editor.text).toBe('see ');
  });

  it('TU-18: a paste of 10 lines is text, of 11 a chip', () => {
    const editor = editing();
    editor.paste(Array.from({ length: 10 }, () => 'x').join('\r\n'));
    expect(editor.shown).toBe(editor.text);
    expect(editor.buffer.lines).toHaveLength(10);
    const chips = editing();
    chips.paste('x\n'.repeat(10));
    chips.paste(Array.from({ length: 11 }, () => 'x').join('\n'));
    expect(chips.shown).toBe(`${'x\n'.repeat(10)}[pasted 11 lines]`);
  });

  it('a paste of few but very long lines is one, too', () => {
    const editor = editing();
    editor.paste('x'.repeat(20_000));
    expect(editor.shown).toBe('[pasted 20000 characters]');
  });

  it('images are in the order of their chips, and cut and yanked with them', () => {
    const editor = editing();
    const first = { media_type: 'image/png' as const, data: 'AA==', name: 'a' };
    const second = { media_type: 'image/png' as const, data: 'AQ==', name: 'b' };
    editor.attachImage(first);
    editor.act('lineStart');
    editor.attachImage(second);
    expect(editor.images).toEqual([second, first]);
    expect(editor.text).toBe('[image 2][image 1]');
    editor.act('lineEnd');
    editor.act('killToLineStart');
    expect(editor.images).toEqual([]);
    editor.act('yank');
    expect(editor.images).toEqual([second, first]);
  });

  it('are saved in a draft', () => {
    const editor = editing('a ');
    editor.attachImage({ media_type: 'image/png', data: 'AA==' });
    const draft = editor.save();
    editor.set('else');
    editor.restore(draft);
    expect(editor.images).toHaveLength(1);
    expect(at(editor)).toBe('a [image 1]|');
  });
});

describe('text for completion', () => {
  it('is the text before the cursor, and can be replaced', () => {
    const editor = editing('first\nsee @src/👍x');
    expect(editor.beforeCursor).toBe('see @src/👍x');
    editor.replaceBefore('@src/👍x'.length, '@src/main.ts ');
    expect(at(editor)).toBe('first\nsee @src/main.ts |');
  });

  it('a backslash before the cursor is a line break for Enter', () => {
    const editor = editing('one\\');
    expect(editor.breakAtBackslash()).toBe(true);
    expect(at(editor)).toBe('one\n|');
    expect(editor.breakAtBackslash()).toBe(false);
  });
});
