/** The screen of a session: history that is printed once, the live area below it, and pages over both. */

import { type Cancel, realClock } from '../../../host/clock.js';
import * as controls from './controls.js';
import { cleanRow, fitLive, fitPage, liveSize } from './fit-frame.js';
import type { Frame, Size } from './frame.js';
import { type PaintedPage, paintPage } from './paint-page.js';
import { eraseLive, leaveLive, nothingPainted, type Painted, paint } from './painter.js';
import { type Ending, Terminal } from './terminal.js';

export type ScreenOptions = {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `size` is a little narrower than the screen. */
  readonly live: (size: Size) => Frame;
  readonly onInput: (data: string) => void;
  /** Called on a signal, or when the terminal is gone: the session should end. Without it the process ends. */
  readonly onEnding?: (ending: Ending) => void;
};

/** Frame interval of automatic updates. Typing is painted at once. */
const FRAME_MS = 66;
/** With more unwritten bytes than this the terminal is behind. */
const SLOW_BYTES = 64 * 1024;

type Page = { readonly frame: (size: Size) => Frame; painted: PaintedPage | undefined };

export class Screen {
  readonly #options: ScreenOptions;
  readonly #terminal: Terminal;
  readonly #ways: ResizeBehaviour;
  #state: 'off' | 'on' | 'away' = 'off';
  /** By Ctrl+Z. */
  #isStopped = false;
  #painted: Painted;
  #history: string[] = [];
  #page: Page | undefined;
  #lastAt = Number.NEGATIVE_INFINITY;
  #isDue = false;
  #later: Cancel | undefined;
  #settled: Cancel | undefined;
  #columns: number;

  constructor(options: ScreenOptions) {
    this.#options = options;
    this.#ways = resizeBehaviourOf(options.env);
    this.#terminal = new Terminal({
      ...options,
      onResize: () => this.#resized(),
      onDrained: () => this.paint(),
      onContinued: () => this.#continued(),
      onExit: () => this.stop(),
    });
    const { size } = this;
    this.#painted = nothingPainted(size);
    this.#columns = size.columns;
  }

  get size(): Size {
    return this.#terminal.size;
  }

  get isSlow(): boolean {
    return this.#terminal.waiting > SLOW_BYTES;
  }

  get hasPage(): boolean {
    return this.#page !== undefined;
  }

  start(): void {
    if (this.#state !== 'off') return;
    this.#state = 'on';
    this.#terminal.start();
    this.#paintNow();
  }

  /** Writes everything printed; the cursor goes below the last live row. */
  stop(): void {
    if (this.#state === 'off') return;
    const isOn = this.#state === 'on';
    const page = this.#leavePage();
    this.#page = undefined;
    const last = isOn ? this.#paintLast() : '';
    this.#state = 'off';
    this.#terminal.stop(page + last + leaveLive(this.#painted));
    this.#forget();
  }

  print(rows: readonly string[]): void {
    for (const row of rows) this.#history.push(cleanRow(row));
    this.paint();
  }

  paint(now = false): void {
    if (this.#state !== 'on' || this.#isDue) return;
    const wait = now ? 0 : FRAME_MS - (realClock.elapsed() - this.#lastAt);
    if (wait > 0) {
      this.#later ??= realClock.after(wait, () => this.#paintNow());
      return;
    }
    // Requests of the same moment share a frame.
    this.#isDue = true;
    queueMicrotask(() => this.#paintNow());
  }

  openPage(frame: (size: Size) => Frame): void {
    const isOpen = this.#page !== undefined;
    this.#page = { frame, painted: undefined };
    if (this.#state !== 'on') return;
    if (!isOpen) this.#terminal.write(this.#enterPage());
    this.#paintNow();
  }

  closePage(): void {
    if (this.#page === undefined) return;
    if (this.#state === 'on') this.#terminal.write(this.#leavePage());
    this.#page = undefined;
    this.#paintNow();
  }

  redraw(): void {
    if (this.#state !== 'on') return;
    if (this.#page !== undefined) this.#page.painted = undefined;
    else {
      this.#terminal.write(eraseLive(this.#painted));
      this.#forget();
    }
    this.#paintNow();
  }

  async release<T>(work: () => Promise<T>): Promise<T> {
    this.#leave();
    try {
      return await work();
    } finally {
      this.#enter();
    }
  }

  suspend(): void {
    if (this.#state !== 'on') return;
    this.#leave();
    this.#isStopped = true;
    this.#terminal.suspend();
  }

  write(sequence: string): void {
    if (this.#state === 'on') this.#terminal.write(sequence);
  }

  #continued(): void {
    if (this.#isStopped) {
      this.#isStopped = false;
      this.#enter();
    } else if (this.#state === 'on') {
      // Stopped by a signal from outside: the shell has written below our last frame.
      if (this.#page !== undefined) this.#terminal.write(this.#enterPage());
      this.#forget();
      this.#paintNow();
    }
  }

  /** Releases the terminal, without the live area. */
  #leave(): void {
    if (this.#state !== 'on') return;
    const page = this.#leavePage();
    this.#state = 'away';
    this.#terminal.leave(page + eraseLive(this.#painted));
    this.#forget();
  }

  #enter(): void {
    if (this.#state !== 'away') return;
    this.#state = 'on';
    this.#terminal.enter();
    if (this.#page !== undefined) this.#terminal.write(this.#enterPage());
    this.#paintNow();
  }

  #enterPage(): string {
    if (this.#page !== undefined) this.#page.painted = undefined;
    return controls.ENTER_PAGE + (this.#terminal.hasKitty ? controls.PUSH_KITTY : '');
  }

  #leavePage(): string {
    if (this.#page === undefined || this.#state !== 'on') return '';
    return (this.#terminal.hasKitty ? controls.POP_KITTY : '') + controls.LEAVE_PAGE;
  }

  #forget(): void {
    this.#painted = nothingPainted(this.size);
    this.#later?.();
    this.#later = undefined;
    this.#settled?.();
    this.#settled = undefined;
  }

  #resized(): void {
    const { columns } = this.#options.output;
    const isNarrower = columns < this.#columns || this.#settled !== undefined;
    this.#columns = columns;
    this.#settled?.();
    this.#settled = undefined;
    const settle = () => {
      this.#settled = undefined;
      this.paint(true);
    };
    if (isNarrower) this.#settled = realClock.after(this.#ways.narrowingMs, settle);
    this.paint(true);
  }

  #paintNow(): void {
    this.#isDue = false;
    this.#later?.();
    this.#later = undefined;
    // Painted after the terminal has taken the last frame: a pending one may be for a window that has changed.
    if (this.#state !== 'on' || this.#terminal.waiting > 0) return;
    this.#lastAt = realClock.elapsed();
    this.#terminal.write(this.#page === undefined ? this.#paintMain() : this.#paintPage(this.#page));
  }

  #paintMain(): string {
    const { size } = this;
    const frame = fitLive(this.#options.live(liveSize(size)), size, this.#settled !== undefined);
    const history = this.#history;
    this.#history = [];
    const request = { size, frame, history, now: realClock.elapsed(), reflows: this.#ways.reflows };
    const { bytes, painted } = paint(this.#painted, request);
    this.#painted = painted;
    return bytes;
  }

  /** The last painting, which may follow an exception in the painting itself. */
  #paintLast(): string {
    try {
      return this.#paintMain();
    } catch {
      return '';
    }
  }

  #paintPage(page: Page): string {
    const { size } = this;
    const frame = fitPage(page.frame(size), size);
    const bytes = paintPage(page.painted, frame, size);
    page.painted = { frame, size };
    return bytes;
  }
}

export type ResizeBehaviour = {
  /** The terminal rewraps its rows when the window gets narrower. Others cut them. */
  readonly reflows: boolean;
  /** The window is still being narrowed for this long after the last reported step. */
  readonly narrowingMs: number;
};

/** The resize behaviour of a terminal, which it does not report. */
export function resizeBehaviourOf(env: Readonly<Record<string, string | undefined>>): ResizeBehaviour {
  // tmux rewraps rows whatever TERM is. It reports the first step at once, the others every 250 ms.
  if (env.TMUX) return { reflows: true, narrowingMs: 400 };
  const cuts = Boolean(env.STY || env.XTERM_VERSION) || /^(linux|screen|dumb)/.test(env.TERM ?? '');
  return { reflows: !cuts, narrowingMs: 120 };
}
