/** The parts that outlive a session: the screen, the editor, the keys, the pages, the colours. */

import { type Cancel, realClock } from '../../../host/clock.js';
import type { Environment } from '../../../host/environment.js';
import type { KeyContext } from '../input/bindings/actions.js';
import { Editor } from '../input/editor/editor.js';
import type { Vim } from '../input/editor/vim.js';
import type { KeyEvent } from '../input/key-event.js';
import { Keymap } from '../input/keymap.js';
import { KeyReader } from '../input/read-keys.js';
import type { Frame, Size } from '../screen/frame.js';
import { Screen } from '../screen/screen.js';
import type { Ending } from '../screen/terminal.js';
import { wrap } from '../screen/width.js';
import { applyTheme, backgroundOf, type ColourLevel, colourLevel, readTheme } from '../theme/choose-theme.js';
import type { Theme } from '../theme/theme.js';
import { LineQuestion } from './line-question.js';
import { PageStack } from './page-stack.js';

/** The content below the history; it gets the keys. */
export type Stage = {
  frame(size: Size, now: number): Frame;
  press(event: KeyEvent, now: number): void;
  /** True if something on it changes over time. */
  isTicking(): boolean;
};

export type UiOptions = {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly env: Environment;
  /** Called on a signal, or when the terminal is gone. */
  readonly onEnding: (ending: Ending) => void;
};

const TICK_MS = 120;
const CATCH_UP_MS = 20;

export class Ui {
  readonly screen: Screen;
  readonly pages: PageStack;
  readonly editor = new Editor();
  readonly note = new Note();
  keymap = new Keymap();
  theme: Theme;
  themeName = 'auto';
  /** Vim keys, if enabled. */
  vim: Vim | undefined;
  /** Listeners for every key event. */
  onPress: (event: KeyEvent) => void = () => {};
  readonly #level: ColourLevel;
  #background: 'dark' | 'light' = 'dark';
  #stage: Stage | undefined;
  #asking: LineQuestion | undefined;
  #cancelTick: Cancel | undefined;
  readonly #keys: KeyReader;

  constructor({ input, output, env, onEnding }: UiOptions) {
    this.#level = colourLevel(env, output.isTTY === true);
    this.theme = this.#themeOf('auto');
    this.#keys = new KeyReader((event) => this.#take(event));
    this.screen = new Screen({
      input,
      output,
      env,
      live: (size) => this.#frame(size),
      onInput: (data) => this.#keys.push(data),
      onEnding,
    });
    this.pages = new PageStack(this.screen);
  }

  start(stage: Stage): void {
    this.#stage = stage;
    this.screen.start();
    this.paint(true);
  }

  /** Removes the live area; the history stays. */
  stop(): void {
    this.#stage = undefined;
    this.#cancelTick?.();
    this.#keys.close();
    this.pages.closeAll();
    this.screen.stop();
  }

  set stage(stage: Stage) {
    this.#stage = stage;
    this.paint();
  }

  get hasColours(): boolean {
    return this.#level > 0;
  }

  useTheme(name: string): void {
    this.themeName = name;
    this.theme = this.#themeOf(name);
    this.paint();
  }

  async useVim(isOn: boolean): Promise<void> {
    const { Vim } = await import('../input/editor/vim.js');
    this.vim = isOn ? new Vim(this.editor) : undefined;
    this.paint();
  }

  /** True if keys are for the stage: no page and no question covers it. */
  get isOnStage(): boolean {
    return !this.pages.isOpen && this.#asking === undefined;
  }

  /** Translates the user's bindings, for code that listens to fixed keys. Keys that type text stay as they are. */
  translateKey(context: KeyContext, event: KeyEvent): KeyEvent {
    if (event.kind !== 'key' || event.text !== undefined) return event;
    return this.keymap.translate(context, event) ?? { kind: 'key', name: '' };
  }

  /** Actions available everywhere. Returns true if the key was one. */
  actAnywhere(context: KeyContext, event: KeyEvent): boolean {
    const found = this.keymap.resolve(context, event);
    const action = found !== undefined && 'action' in found ? found.action : undefined;
    if (action === 'app:redraw') this.screen.redraw();
    else if (action === 'app:suspend') this.screen.suspend();
    else return false;
    return true;
  }

  now(): number {
    return realClock.elapsed();
  }

  paint(atOnce = false): void {
    this.screen.paint(atOnce);
    // Runs with every event: not while a tick is due anyway.
    if (this.#cancelTick !== undefined) return;
    if (this.#stage?.isTicking() || this.note.at(this.now()) !== '') this.#tick();
  }

  /** Prints lines into the history. They are safe already, and may be wider than the screen. */
  say(text: string): void {
    const width = Math.max(1, this.screen.size.columns - 1);
    this.print(text.split('\n').flatMap((line) => wrap(line, width)));
  }

  print(rows: readonly string[]): void {
    if (rows.length === 0) return;
    this.screen.print(rows);
    this.paint();
  }

  hint(text: string, ms?: number): void {
    this.note.say(text, this.now(), ms);
    this.paint();
  }

  /** Resolves when the terminal has caught up; undefined: it has. */
  whenWritten(): Promise<void> | undefined {
    return this.screen.isSlow ? this.#written() : undefined;
  }

  /** Asks for a line. Resolves with undefined if there is no answer, or the signal aborts. */
  ask(prompt: string, signal?: AbortSignal, isOwn = false): Promise<string | undefined> {
    this.#asking?.press({ kind: 'key', name: 'esc' }, Number.POSITIVE_INFINITY);
    return new Promise((resolve) => {
      const end = (line: string | undefined) => {
        if (this.#asking === asking) this.#asking = undefined;
        signal?.removeEventListener('abort', withdraw);
        this.paint();
        resolve(line);
      };
      const withdraw = () => end(undefined);
      // With nothing typed yet, keys can only be meant for the question, which the user's own command asked.
      const lastKey = isOwn && this.editor.isEmpty ? Number.NEGATIVE_INFINITY : this.now();
      const asking = new LineQuestion(prompt, lastKey, end);
      this.#asking = asking;
      signal?.addEventListener('abort', withdraw, { once: true });
      if (signal?.aborted) withdraw();
      this.paint(true);
    });
  }

  /** The editor, or the line question in its place. */
  editorFrame(width: number, most: number, prompt: string): Frame {
    if (this.#asking !== undefined) return this.#asking.frame(width, most);
    const { rows, cursor } = this.editor.rows(Math.max(1, width - 2), most);
    return {
      rows: rows.map((row, index) => (index === 0 ? prompt : '  ') + row),
      cursor: { row: cursor.row, column: cursor.column + 2 },
    };
  }

  async #written(): Promise<void> {
    while (this.screen.isSlow) await realClock.sleep(CATCH_UP_MS);
  }

  #frame(size: Size): Frame {
    return this.#stage?.frame(size, this.now()) ?? { rows: [] };
  }

  #take(event: KeyEvent): void {
    this.onPress(event);
    if (event.kind === 'background') {
      this.#background = backgroundOf(event);
      return void this.useTheme(this.themeName);
    }
    if (event.kind === 'focus') return;
    if (!this.isOnStage && this.actAnywhere('page', event)) return;
    if (this.pages.isOpen) this.pages.press(this.translateKey('page', event));
    else if (!this.#asking?.press(event, this.now())) this.#stage?.press(event, this.now());
    this.paint(true);
  }

  #themeOf(name: string): Theme {
    const named = readTheme(name) ?? readTheme('auto');
    if (named === undefined) throw new Error('the theme auto always exists');
    return applyTheme(named, { level: this.#level, background: this.#background });
  }

  #tick(): void {
    this.#cancelTick = realClock.after(TICK_MS, () => {
      this.#cancelTick = undefined;
      this.paint();
    });
  }
}

const SHOWN_MS = 4_000;

/** A message that disappears on its own: what a second press would do, what was copied. */
class Note {
  #text = '';
  #until = 0;

  say(text: string, now: number, ms = SHOWN_MS): void {
    this.#text = text;
    this.#until = now + ms;
  }

  clear(): void {
    this.#until = 0;
  }

  /** Empty if the message has expired. */
  at(now: number): string {
    return now < this.#until ? this.#text : '';
  }
}
