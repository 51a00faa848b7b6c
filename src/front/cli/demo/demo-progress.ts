/** Live progress of the demo at a terminal: its lines go into the history, and below them stands what goes on now. */

import { type Cancel, realClock } from '../../../host/clock.js';
import { Screen } from '../../tui/screen/screen.js';
import { wrap } from '../../tui/screen/width.js';
import { applyTheme, colourLevel, readTheme } from '../../tui/theme/choose-theme.js';
import type { Theme } from '../../tui/theme/theme.js';

/** What goes on: rows of a width, at a time. */
export type Going = (width: number, now: number, theme: Theme) => readonly string[];

const TICK_MS = 150;
const NOTHING: Going = () => [];

export class DemoProgress {
  readonly #screen: Screen;
  #going = NOTHING;
  #cancel: Cancel | undefined;

  constructor() {
    const { stdin: input, stdout: output, env } = process;
    const named = readTheme('auto');
    if (named === undefined) throw new Error('there is always the theme auto');
    const theme = applyTheme(named, { level: colourLevel(env, true), background: 'dark' });
    this.#screen = new Screen({
      input,
      output,
      env,
      live: ({ columns }) => ({ rows: [...this.#going(columns, realClock.elapsed(), theme)] }),
      onInput: (data) => this.#press(data),
      // The demo itself watches for signals.
      onEnding: () => {},
    });
    this.#screen.start();
    this.#tick();
  }

  show(going: Going): void {
    this.#going = going;
    this.#screen.paint();
  }

  print(text: string): void {
    const width = Math.max(1, this.#screen.size.columns - 1);
    this.#screen.print(text.split('\n').flatMap((line) => wrap(line, width)));
  }

  stop(): void {
    this.#going = NOTHING;
    this.#cancel?.();
    this.#cancel = undefined;
    this.#screen.redraw();
    this.#screen.stop();
  }

  #press(data: string): void {
    if (isInterrupt(data)) process.kill(process.pid, 'SIGINT');
    else if (data === '\u001a') this.#screen.suspend();
  }

  #tick(): void {
    this.#cancel = realClock.after(TICK_MS, () => {
      this.#screen.paint();
      this.#tick();
    });
  }
}

/** Ctrl+C, also as the kitty protocol has it. */
export function isInterrupt(data: string): boolean {
  return data.includes('\u0003') || data.includes('\u001b[99;5u');
}
