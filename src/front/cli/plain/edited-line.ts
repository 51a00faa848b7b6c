/**
 * The line being edited: readline, and what it lacks. A line can be stashed and restored, the prompt hidden while others
 * write, and the process suspended (Ctrl+Z) and continued.
 */

import { clearLine, createInterface, cursorTo, type Interface, type Key } from 'node:readline';
import type { Clock } from '../../../host/clock.js';
import type { Screen } from './screen.js';

export type InputStreams = { readonly input: NodeJS.ReadStream; readonly output: NodeJS.WriteStream };

export type LineEvents = {
  onLine(line: string): void;
  onEnd(): void;
  /** Ctrl+C, in raw mode. */
  onInterrupt(): void;
  /** Runs before readline handles the key. True: the key is consumed. */
  beforeKey(key: Key): boolean;
  afterKey(): void;
  /** The process continues after a suspend: show the prompt again. */
  onContinued(): void;
  /** True keeps the line just entered out of the history. */
  isPrivate(): boolean;
};

export type Typed = { readonly text: string; readonly cursor: number };

const PASTE_ON = '\u001b[?2004h';
const PASTE_OFF = '\u001b[?2004l';

export class EditedLine {
  /** Keys arrive and the line is shown. Otherwise whole lines arrive, from a pipe or a terminal we don't write to. */
  readonly isTerminal: boolean;
  readonly #input: NodeJS.ReadStream;
  readonly #output: NodeJS.WriteStream;
  readonly #screen: Screen;
  readonly #clock: Clock;
  readonly #dumb = process.env.TERM === 'dumb';
  readonly #lines: Interface;
  #onContinued: () => void = () => {};
  #promptShown = false;
  #closed = false;

  constructor({ input, output }: InputStreams, screen: Screen, clock: Clock, events: LineEvents) {
    this.isTerminal = input.isTTY === true && output.isTTY === true;
    this.#input = input;
    this.#output = output;
    this.#screen = screen;
    this.#clock = clock;
    this.#lines = createInterface({
      input,
      terminal: this.isTerminal,
      ...(this.isTerminal ? { output, historySize: 1000, removeHistoryDuplicates: true } : {}),
      crlfDelay: Number.POSITIVE_INFINITY,
    });
    this.#lines.on('line', (line) => {
      if (this.isTerminal) this.#leaveRow();
      events.onLine(line);
    });
    this.#lines.on('close', () => events.onEnd());
    this.#lines.on('SIGINT', () => events.onInterrupt());
    if (this.isTerminal) this.#watchKeys(events);
  }

  get text(): string {
    return this.#lines.line;
  }

  get promptShown(): boolean {
    return this.#promptShown;
  }

  /** Removes the line, also from the screen. */
  take(): Typed {
    const { line: text, cursor } = this.#lines;
    this.put({ text: '', cursor: 0 });
    // Redraw it empty, so that no row of a long line remains.
    if (text !== '' && this.#promptShown && !this.#dumb) this.#lines.prompt(true);
    return { text, cursor };
  }

  /** Sets the line; `show` draws it. */
  put({ text, cursor }: Typed): void {
    // These are documented as read-only, but readline has no other way to set both.
    Object.assign(this.#lines, { line: text, cursor });
  }

  show(prompt: string): void {
    if (!this.isTerminal || this.#closed) return;
    this.#lines.setPrompt(prompt);
    this.#lines.prompt(true);
    if (this.#dumb && this.text !== '') this.#screen.writeRaw(this.text);
    this.#promptShown = true;
  }

  hide(): void {
    if (!this.#promptShown || !this.isTerminal) return;
    if (this.#dumb) {
      this.#screen.writeRaw('\n');
    } else {
      const typed = this.take();
      this.put(typed);
      cursorTo(this.#output, 0);
      clearLine(this.#output, 0);
    }
    this.#leaveRow();
  }

  /** Ends the row of the prompt without changing it. */
  endRow(): void {
    if (this.#promptShown) this.#screen.writeRaw('\n');
    this.#leaveRow();
  }

  close(): void {
    this.#lines.close();
  }

  /** Restores the terminal. Safe to call twice, and while the process exits. */
  restore(): void {
    if (!this.isTerminal) return;
    this.#closed = true;
    process.off('SIGCONT', this.#wake);
    this.#setTerminal('cooked');
  }

  #leaveRow(): void {
    this.#promptShown = false;
    this.#screen.lineBroken();
  }

  #watchKeys(events: LineEvents): void {
    if (!this.#dumb) this.#screen.writeRaw(PASTE_ON);
    this.#input.prependListener('keypress', (_text: string | undefined, key: Key) => {
      // Otherwise readline inserts a chunk, such as a paste, at the end instead of at the cursor.
      Object.assign(this.#lines, { isCompletionEnabled: true });
      // Readline ignores a key of this name.
      if (events.beforeKey(key)) Object.assign(key, { name: 'taken', ctrl: true, meta: false });
    });
    this.#input.on('keypress', () => events.afterKey());
    this.#lines.on('history', (history) => {
      if (events.isPrivate()) history.shift();
    });
    this.#lines.on('SIGTSTP', () => this.#stop());
    this.#onContinued = events.onContinued;
    process.on('SIGCONT', this.#wake);
  }

  /** Ctrl+Z. Suspends the whole process group, as the terminal would: the program that started us stops, too. */
  #stop(): void {
    this.hide();
    this.#setTerminal('cooked');
    process.kill(0, 'SIGTSTP');
    // Where nobody could continue us, the signal has no effect, and no other follows.
    this.#clock.after(0, this.#wake);
  }

  /** The shell has had the terminal meanwhile, and may have left it in any mode. */
  readonly #wake = (): void => {
    if (this.#closed) return;
    this.#setTerminal('cooked');
    this.#setTerminal('raw');
    this.#lines.resume();
    this.#leaveRow();
    this.#onContinued();
  };

  #setTerminal(mode: 'raw' | 'cooked'): void {
    if (!this.#dumb) this.#screen.writeRaw(mode === 'raw' ? PASTE_ON : PASTE_OFF);
    const isRaw = mode === 'raw';
    if (this.#input.isRaw !== isRaw) this.#input.setRawMode?.(isRaw);
  }
}

/** An odd number of backslashes at the end continues the line. */
export function isContinued(line: string): boolean {
  return (/\\+$/.exec(line)?.[0].length ?? 0) % 2 === 1;
}

/** True for keys that insert text on an empty line. */
export function beginsLine(key: Key): boolean {
  if (key.ctrl) return key.name === 'y' || key.name === 'p' || key.name === 'n';
  return key.name !== 'return' && key.name !== 'enter' && key.name !== 'backspace' && key.name !== 'escape';
}
