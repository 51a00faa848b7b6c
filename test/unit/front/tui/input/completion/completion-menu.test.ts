import { describe, expect, it } from 'vitest';
import { CompletionMenu } from '../../../../../../src/front/tui/input/completion/completion-menu.js';
import { Editor } from '../../../../../../src/front/tui/input/editor/editor.js';
import { widthOf } from '../../../../../../src/front/tui/screen/width.js';
import { turns } from '../../../../../support/until.js';
import { PLAIN_THEME } from '../plain-theme.js';
import { press } from '../typing.js';

const FILES: readonly string[] = ['README.md', 'src/main.ts', 'src/my file.ts', 'src/parts/main-row.ts', 'odd"name'];

function completing(files: () => Promise<readonly string[]> = async () => FILES) {
  const editor = new Editor();
  let changes = 0;
  const commands = [
    { name: 'help', help: 'keys and commands' },
    { name: 'fork', takes: 'DIRECTIVE', help: 'a fork works on it' },
    { name: 'theme', takes: '[NAME]', help: 'colours' },
  ];
  const agents = [{ name: 'explore', about: 'reads code' }];
  const menu = new CompletionMenu({ commands: () => commands, files, agents: () => agents }, () => {
    changes += 1;
  });
  const type = async (text: string) => {
    for (const char of text) {
      editor.insert(char);
      menu.update(editor);
      await turns(2);
    }
  };
  const rows = (width = 60, max = 8) => menu.rows(width, max, PLAIN_THEME);
  return { editor, menu, type, rows, changes: () => changes };
}

describe('the menu of commands', () => {
  it('opens with a slash at the start of the text, and nowhere else', async () => {
    const { type, rows, menu, editor } = completing();
    await type('/');
    expect(rows()).toEqual([
      '  /help            keys and commands',
      '  /fork DIRECTIVE  a fork works on it',
      '  /theme [NAME]    colours',
    ]);
    editor.set('see ');
    await type('/');
    expect(menu.isOpen).toBe(false);
    editor.set('line\n');
    await type('/');
    expect(menu.isOpen).toBe(false);
  });

  it('TU-20: Enter sends the typed text, unless a row was chosen', async () => {
    const { type, menu, editor } = completing();
    await type('/he');
    expect(menu.isOpen).toBe(true);
    expect(menu.press(press('enter'))).toBe('ignored');
    expect(editor.text).toBe('/he');
    menu.press(press('down'));
    expect(menu.press(press('enter'))).toBe('ignored');
    expect(editor.text).toBe('/help');
    expect(menu.isOpen).toBe(false);
  });

  it('TU-20: a chosen command with arguments waits for them', async () => {
    const { type, menu, editor } = completing();
    await type('/f');
    menu.press(press('down'));
    expect(menu.press(press('enter'))).toBe('taken');
    expect(editor.text).toBe('/fork ');
    expect(menu.isOpen).toBe(false);
  });

  it('Tab accepts the first row, arrows wrap around, Esc closes it for this word', async () => {
    const { type, menu, editor, rows } = completing();
    await type('/h');
    expect(menu.press(press('tab'))).toBe('taken');
    expect(editor.text).toBe('/help');
    editor.set('');
    menu.update(editor);
    await type('/');
    menu.press(press('up'));
    expect(rows()[2]).toBe('› /theme [NAME]    colours');
    menu.press(press('down'));
    expect(rows()[0]).toBe('› /help            keys and commands');
    expect(menu.press(press('esc'))).toBe('taken');
    await type('he');
    expect(menu.isOpen).toBe(false);
    expect(menu.press(press('esc'))).toBe('ignored');
    editor.set('');
    menu.update(editor);
    await type('/');
    expect(menu.isOpen).toBe(true);
  });
});

describe('the menu of files and agents', () => {
  it('opens with an @ after white space, and not in an address', async () => {
    const { type, rows, menu, editor } = completing();
    await type('look at @');
    const files = [
      '  @src/',
      '  @README.md',
      '  @src/parts/',
      '  @src/main.ts',
      '  @src/my file.ts',
      '  @src/parts/main-row.ts',
    ];
    expect(rows()).toEqual(files);
    // Only at the start does a mention write to an agent.
    editor.set('@');
    menu.update(editor);
    expect(rows()).toEqual(['  @explore  agent · reads code', ...files]);
    editor.set('me@');
    menu.update(editor);
    expect(menu.isOpen).toBe(false);
  });

  it('inserts the path, quoted if needed, and continues in a folder', async () => {
    const { type, menu, editor, rows } = completing();
    await type('@mai');
    menu.press(press('tab'));
    expect(editor.text).toBe('@src/main.ts ');
    await type('and @myf');
    menu.press(press('tab'));
    expect(editor.text).toBe('@src/main.ts and @"src/my file.ts" ');
    await type('@par');
    menu.press(press('tab'));
    expect(editor.text).toMatch(/ @src\/parts\/$/);
    expect(rows()[0]).toBe('  @src/parts/');
    expect(rows()).toContain('  @src/parts/main-row.ts');
  });

  it('shows agents at once and files when found, and keeps the chosen row', async () => {
    let give: (paths: readonly string[]) => void = () => {};
    const { type, menu, rows, editor, changes } = completing(() => new Promise((resolve) => (give = resolve)));
    await type('@e');
    expect(rows()).toEqual(['  @explore  agent · reads code']);
    menu.press(press('down'));
    give(FILES);
    await turns(2);
    expect(changes()).toBe(1);
    expect(rows()[0]).toBe('› @explore  agent · reads code');
    menu.press(press('enter'));
    expect(editor.text).toBe('@explore ');
  });

  it('has agents without a list of files', async () => {
    const { type, rows } = completing(() => Promise.reject(new Error('no git')));
    await type('@ex');
    expect(rows()).toEqual(['  @explore  agent · reads code']);
  });

  it('TU-30: shows names exactly, in rows that fit', async () => {
    const evil = `a\u202etxt.${'x'.repeat(100)}`;
    const { type, rows } = completing(async () => [evil, ...Array.from({ length: 300 }, (_, at) => `file-${at}`)]);
    await type('@txt');
    expect(rows(200)[0]).toContain('@a\\u{202e}txt.');
    for (const width of [3, 10, 40]) for (const row of rows(width)) expect(widthOf(row)).toBeLessThanOrEqual(width);
  });

  it('counts hidden rows', async () => {
    const { type, rows, menu } = completing(async () => Array.from({ length: 300 }, (_, at) => `file-${at}`));
    await type('@file');
    expect(rows(60, 4)).toEqual(['  @file-0', '  @file-1', '  @file-2', '  … 297 more']);
    for (let count = 0; count < 10; count += 1) menu.press(press('down'));
    expect(rows(60, 4)).toEqual(['  @file-8', '› @file-9', '  @file-10', '  … 297 more']);
  });
});
