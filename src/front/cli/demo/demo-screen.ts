/** The demo's output: one line per action; at a terminal, what is running is shown live below. */

import { basename } from 'node:path';
import { type Cancel, realClock } from '../../../host/clock.js';
import { Screen } from '../../tui/screen/screen.js';
import { wrap } from '../../tui/screen/width.js';
import { applyTheme, colourLevel, readTheme } from '../../tui/theme/choose-theme.js';
import type { Theme } from '../../tui/theme/theme.js';
import { choosePaint, wantsColours } from '../../view/paint.js';

/** The live rows, for a width and a time. */
export type LiveRows = (width: number, now: number, theme: Theme) => readonly string[];

const NAME_WIDTH = 8;
const TICK_MS = 150;
const NOTHING: LiveRows = () => [];

export class DemoScreen {
  readonly paint = choosePaint(wantsColours(process.stdout, process.env));
  #live: Screen | undefined;
  #liveRows = NOTHING;
  #cancel: Cancel = () => {};

  constructor(isLive: boolean) {
    const { stdin: input, stdout: output, env } = process;
    const named = isLive ? readTheme('auto') : undefined;
    if (named === undefined) return;
    const theme = applyTheme(named, { level: colourLevel(env, true), background: 'dark' });
    this.#live = new Screen({
      input,
      output,
      env,
      live: ({ columns }) => ({ rows: [...this.#liveRows(columns, realClock.elapsed(), theme)] }),
      onInput: (data) => {
        if (isInterrupt(data)) process.kill(process.pid, 'SIGINT');
        else if (data === '\u001a') this.#live?.suspend();
      },
      // The demo itself handles signals.
      onEnding: () => {},
    });
    this.#live.start();
    this.#tick();
  }

  showLive(rows: LiveRows = NOTHING): void {
    this.#liveRows = rows;
    this.#live?.paint();
  }

  /** Switches to lines only. */
  settle(): void {
    this.#cancel();
    this.#liveRows = NOTHING;
    this.#live?.redraw();
    this.#live?.stop();
    this.#live = undefined;
  }

  heading(text: string): void {
    this.line(`\n${this.paint.bold(text)}`);
  }

  /** Shows what you type, or would type. */
  prompt(text: string, how = ''): void {
    this.line(`> ${text}${how === '' ? '' : `   ${this.paint.dim(how)}`}`);
  }

  says(who: string, text: string): void {
    this.line(`  ${this.paint.bold(who.padEnd(NAME_WIDTH))}${text}`);
  }

  acts(who: string, tool: string, input: unknown): void {
    this.says(who, this.paint.dim(`${tool} ${shortInput(input)}`));
  }

  forked(who: string, background = false, branch?: string): void {
    const where = branch === undefined ? '' : `, in a worktree on the branch ${branch}`;
    this.says(who, this.paint.good(`forked${where}${background ? ', in the background' : ''}`));
  }

  /** A fork's report has several parts; the demo shows its result. */
  reports(who: string, report: string): void {
    const result = /^Result: (.*)$/m.exec(report)?.[1] ?? report;
    this.says(who, `${this.paint.good('done:')} ${result}`);
  }

  aside(text: string): void {
    this.line(`  ${' '.repeat(NAME_WIDTH)}${text}`);
  }

  line(text: string): void {
    if (this.#live === undefined) process.stdout.write(`${text}\n`);
    else {
      const width = Math.max(1, this.#live.size.columns - 1);
      this.#live.print(text.split('\n').flatMap((line) => wrap(line, width)));
    }
  }

  #tick(): void {
    this.#cancel = realClock.after(TICK_MS, () => {
      this.#live?.paint();
      this.#tick();
    });
  }
}

/** Ctrl+C, also in the kitty protocol. */
export function isInterrupt(data: string): boolean {
  return data.includes('\u0003') || data.includes('\u001b[99;5u');
}

function shortInput(input: unknown): string {
  if (typeof input !== 'object' || input === null) return '';
  if ('command' in input) return String(input.command);
  if ('pattern' in input) return String(input.pattern);
  return 'file_path' in input ? basename(String(input.file_path)) : '';
}
