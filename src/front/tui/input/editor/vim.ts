/** Vim modes over the editor. Esc goes to normal mode first, and never clears what was typed (TU-18). */

import type { KeyEvent } from '../key-event.js';
import { type CursorPosition, comparePositions } from './cursor-position.js';
import type { Editor } from './editor.js';
import { type Find, findTarget } from './vim/motions.js';
import { operate, put, type Range, type Register, rangeOf } from './vim/operate.js';
import { type Command, type Motion, type Operator, parseCommand } from './vim/parse-command.js';
import { performSimple, replaceCells } from './vim/simple-commands.js';

export type VimMode = 'insert' | 'normal' | 'visual' | 'visual-line';

const VISUAL_OPERATORS: Readonly<Record<string, Operator>> = { d: 'd', x: 'd', c: 'c', s: 'c', y: 'y' };
const NEW_LINES = ['shift+enter', 'alt+enter', 'ctrl+j'];

export class Vim {
  readonly #editor: Editor;
  #mode: VimMode = 'insert';
  /** The keys of an incomplete command. */
  #keys: string[] = [];
  #register: Register | undefined;
  #lastFind: Find | undefined;
  /** The other end of the selection. */
  #anchor: CursorPosition = { line: 0, cell: 0 };
  /** The last change, for `.`: the command, and what was typed after it. */
  #lastChange: { readonly command: Command; readonly typed: KeyEvent[] } | undefined;

  constructor(editor: Editor) {
    this.#editor = editor;
  }

  get mode(): VimMode {
    return this.#mode;
  }

  /** The keys so far of an incomplete command. */
  get pending(): string {
    return this.#keys.join('');
  }

  /**
   * Takes every key event first. `ignored`: it has its meaning without vim. In normal mode that is never a character, except
   * for `?` on an empty text.
   */
  press(event: KeyEvent): 'taken' | 'ignored' {
    if (this.#mode === 'insert') return this.#insertMode(event);
    if (event.kind !== 'key') return 'ignored';
    const key = event.name === 'backspace' ? 'h' : event.name === 'space' && this.#keys.length === 0 ? 'l' : event.name;
    if (key === 'esc') return this.#leave();
    if (key === 'ctrl+r') return this.#repeat('redo', 1);
    if (event.text === undefined && key !== 'h') {
      this.#keys = [];
      return 'ignored';
    }
    if (key === '?' && this.#editor.isEmpty && this.#keys.length === 0) return 'ignored';
    this.#clampCursor();
    this.#keys.push(key);
    if (this.#mode === 'normal') this.#normalKey();
    else this.#visualKey(key);
    this.#showSelection();
    return 'taken';
  }

  #insertMode(event: KeyEvent): 'taken' | 'ignored' {
    if (event.kind === 'key' && event.name === 'esc') {
      this.#mode = 'normal';
      const { line, cell } = this.#editor.buffer.cursor;
      this.#editor.buffer.moveTo({ line, cell: cell - 1 });
      this.#editor.buffer.seal();
      return 'taken';
    }
    this.#lastChange?.typed.push(event);
    return 'ignored';
  }

  #leave(): 'taken' | 'ignored' {
    const wasBusy = this.#keys.length > 0 || this.#mode !== 'normal';
    this.#keys = [];
    this.#mode = 'normal';
    this.#showSelection();
    return wasBusy ? 'taken' : 'ignored';
  }

  #normalKey(): void {
    const parsed = parseCommand(this.#keys);
    if (parsed.kind === 'more') return;
    this.#keys = [];
    if (parsed.kind !== 'none') this.#run(parsed);
    if (this.#mode !== 'insert') this.#clampCursor();
  }

  #run(command: Command): void {
    const { buffer } = this.#editor;
    const count = command.count ?? 1;
    if (command.kind !== 'move') this.#editor.settle();
    switch (command.kind) {
      case 'move':
        this.#move(command.motion, command.count);
        return;
      case 'operate':
        this.#operateMotion(command.operator, command.motion, command);
        return;
      case 'lines': {
        const last = Math.min(buffer.cursor.line + count, buffer.lines.length) - 1;
        this.#operate(command.operator, rangeOf(buffer.cursor, { line: last, cell: 0 }, 'lines'), command);
        return;
      }
      case 'replace':
        this.#changed(command);
        replaceCells(this.#editor, command.char, count);
        return;
      case 'simple':
        this.#simple(command, command.key, count);
    }
  }

  #simple(command: Command, key: string, count: number): void {
    if (key === 'u') this.#repeat('undo', count);
    else if (key === '.') this.#again();
    else if (key === 'v' || key === 'V') {
      this.#anchor = this.#editor.buffer.cursor;
      this.#mode = key === 'v' ? 'visual' : 'visual-line';
    } else {
      if (key !== 'Y') this.#changed(command);
      const result = performSimple(this.#editor, key, count, this.#register);
      this.#register = result?.register ?? this.#register;
      if (result?.inserts) this.#mode = 'insert';
    }
  }

  #move(motion: Motion, count: number | undefined): void {
    // ↑ and ↓ move through the visible rows.
    if (motion.kind === 'key' && (motion.key === 'j' || motion.key === 'k')) {
      this.#repeat(motion.key === 'j' ? 'down' : 'up', count ?? 1);
      return;
    }
    this.#editor.settle();
    if (motion.kind === 'find') this.#lastFind = motion;
    const target = findTarget(this.#editor.buffer, motion, count, this.#lastFind);
    if (target !== undefined) this.#editor.buffer.moveTo(target.to);
  }

  #operateMotion(operator: Operator, motion: Motion, command: Command): void {
    const { buffer } = this.#editor;
    const { cursor } = buffer;
    if (motion.kind === 'find') this.#lastFind = motion;
    const isWord = motion.kind === 'key' && motion.key.toLowerCase() === 'w';
    const onWord = buffer.cellAt(cursor) !== undefined && buffer.cellAt(cursor) !== ' ';
    // `cw` leaves the space after the word.
    const effective: Motion =
      isWord && operator === 'c' && onWord ? { kind: 'key', key: motion.key === 'w' ? 'e' : 'E' } : motion;
    const target = findTarget(buffer, effective, command.count, this.#lastFind);
    if (target === undefined) return;
    // The last word of a line ends there.
    const isOver = isWord && effective === motion && target.to.line > cursor.line;
    const to = isOver ? { line: target.to.line - 1, cell: buffer.lineAt(target.to.line - 1).length } : target.to;
    this.#operate(operator, rangeOf(target.from ?? cursor, to, target.reach), command);
  }

  #operate(operator: Operator, range: Range, command: Command | undefined): void {
    if (operator !== 'y' && command !== undefined) this.#changed(command);
    this.#register = operate(this.#editor.buffer, operator, range);
    if (operator === 'c') this.#mode = 'insert';
  }

  #visualKey(key: string): void {
    const { buffer } = this.#editor;
    const operator = this.#keys.length === 1 ? VISUAL_OPERATORS[key] : undefined;
    if (operator !== undefined || (key === 'p' && this.#keys.length === 1)) {
      const range = rangeOf(this.#anchor, buffer.cursor, this.#mode === 'visual-line' ? 'lines' : 'inclusive');
      const taken = this.#register;
      this.#keys = [];
      this.#mode = 'normal';
      this.#lastChange = undefined;
      this.#editor.settle();
      this.#operate(operator ?? 'd', range, undefined);
      if (operator === undefined && taken !== undefined) put(buffer, taken, 'before', 1);
      if (operator !== 'c') this.#clampCursor();
      return;
    }
    const parsed = parseCommand(this.#keys);
    if (parsed.kind === 'more') return;
    this.#keys = [];
    if (key === 'v' || key === 'V') {
      const mode = key === 'v' ? 'visual' : 'visual-line';
      this.#mode = this.#mode === mode ? 'normal' : mode;
    } else if (key === 'o') {
      const { cursor } = buffer;
      buffer.moveTo(this.#anchor);
      this.#anchor = cursor;
    } else if (parsed.kind === 'move') this.#move(parsed.motion, parsed.count);
    this.#clampCursor();
  }

  #again(): void {
    const last = this.#lastChange;
    if (last === undefined) return;
    const typed = [...last.typed];
    this.#run(last.command);
    if (this.#mode !== 'insert') return;
    for (const event of typed) this.#typeAgain(event);
    this.#lastChange = { command: last.command, typed };
    this.#insertMode({ kind: 'key', name: 'esc' });
  }

  #typeAgain(event: KeyEvent): void {
    if (event.kind === 'paste') this.#editor.paste(event.text);
    if (event.kind !== 'key') return;
    if (event.text !== undefined) this.#editor.insert(event.text);
    else if (event.name === 'backspace') this.#editor.act('deleteLeft');
    else if (NEW_LINES.includes(event.name)) this.#editor.act('newline');
  }

  #changed(command: Command): void {
    this.#lastChange = { command, typed: [] };
  }

  #repeat(action: 'undo' | 'redo' | 'up' | 'down', count: number): 'taken' {
    for (let left = count; left > 0 && this.#editor.act(action); left -= 1);
    return 'taken';
  }

  /** In normal mode the cursor is on a character, not after the last. */
  #clampCursor(): void {
    const { buffer } = this.#editor;
    const { line, cell } = buffer.cursor;
    const last = Math.max(0, buffer.lineAt(line).length - 1);
    if (cell > last) buffer.moveTo({ line, cell: last });
  }

  #showSelection(): void {
    const { buffer } = this.#editor;
    if (this.#mode !== 'visual' && this.#mode !== 'visual-line') {
      this.#editor.selection = undefined;
      return;
    }
    const [from, to] =
      comparePositions(this.#anchor, buffer.cursor) <= 0
        ? [this.#anchor, buffer.cursor]
        : [buffer.cursor, this.#anchor];
    this.#editor.selection =
      this.#mode === 'visual'
        ? { from, to: { line: to.line, cell: to.cell + 1 } }
        : { from: { line: from.line, cell: 0 }, to: { line: to.line + 1, cell: 0 } };
  }
}
