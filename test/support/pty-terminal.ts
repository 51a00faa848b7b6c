/** A real program in a terminal: a pty, and a terminal without a window that understands all of its output. */

import { createRequire } from 'node:module';
import pty from '@lydell/node-pty';
import type { UnicodeGraphemesAddon } from '@xterm/addon-unicode-graphemes';
import unicode11 from '@xterm/addon-unicode11';
import xterm from '@xterm/headless';
import { onTestFinished } from 'vitest';
import { until } from './until.js';

export type PtyOptions = {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Record<string, string>;
  readonly cwd?: string;
  /** Which table of widths: `graphemes` takes a family of emoji as one. */
  readonly widths?: 'unicode11' | 'graphemes';
  /** It answers no question. */
  readonly isSilent?: boolean;
  /** Lines of a shell that are there before the program starts. */
  readonly earlier?: number;
};

export class PtyTerminal {
  readonly #terminal: xterm.Terminal;
  readonly #pty: pty.IPty;
  #output = '';
  #parsed = Promise.resolve();
  exited: { readonly exitCode: number; readonly signal?: number | undefined } | undefined;

  constructor(file: string, args: readonly string[], options: PtyOptions = {}) {
    const size = { cols: options.columns ?? 100, rows: options.rows ?? 30 };
    this.#terminal = new xterm.Terminal({ ...size, scrollback: 60_000, allowProposedApi: true, logLevel: 'off' });
    if (options.widths === 'graphemes') this.#terminal.loadAddon(loadGraphemes() as never);
    else {
      this.#terminal.loadAddon(new unicode11.Unicode11Addon() as never);
      this.#terminal.unicode.activeVersion = '11';
    }
    for (let line = 1; line <= (options.earlier ?? 0); line += 1) this.show(`SHELL-${pad(line, 2)} earlier output\r\n`);
    this.#pty = pty.spawn(file, [...args], {
      ...size,
      name: options.env?.TERM ?? 'xterm-256color',
      cwd: options.cwd ?? process.cwd(),
      env: { PATH: process.env.PATH ?? '', HOME: '/nonexistent', LANG: 'C.UTF-8', ...options.env },
    });
    if (!options.isSilent) this.#terminal.onData((answer) => this.#pty.write(answer));
    this.#pty.onData((data) => {
      this.#output += data;
      if (!options.isSilent && data.includes('\u001b[?u')) this.#pty.write('\u001b[?0u');
      this.show(data);
    });
    this.#pty.onExit((exit) => {
      this.exited = exit;
    });
    onTestFinished(() => this.kill());
  }

  get pid(): number {
    return this.#pty.pid;
  }

  /** Everything the program wrote. */
  get output(): string {
    return this.#output;
  }

  get modes(): xterm.IModes {
    return this.#terminal.modes;
  }

  get isPage(): boolean {
    return this.#terminal.buffer.active.type === 'alternate';
  }

  get isCursorHidden(): boolean {
    return this.#output.lastIndexOf('\u001b[?25l') > this.#output.lastIndexOf('\u001b[?25h');
  }

  /** Where the cursor is, and the text of its row before it. */
  get cursor(): { readonly row: number; readonly column: number } {
    const { cursorX, cursorY } = this.#terminal.buffer.active;
    return { row: cursorY, column: cursorX };
  }

  /** As if another program had written it. */
  show(text: string): void {
    this.#parsed = new Promise((resolve) => this.#terminal.write(text, resolve));
  }

  type(text: string): void {
    this.#pty.write(text);
  }

  resize(columns: number, rows: number): void {
    this.#terminal.resize(columns, rows);
    this.#pty.resize(columns, rows);
  }

  /** The terminal takes nothing any more, until `go`. */
  pause(): void {
    this.#pty.pause();
  }

  go(): void {
    this.#pty.resume();
  }

  /** The window is closed. */
  close(): void {
    (this.#pty as unknown as { destroy(): void }).destroy();
  }

  kill(signal: NodeJS.Signals = 'SIGKILL'): void {
    if (this.exited !== undefined) return;
    try {
      process.kill(this.pid, signal);
    } catch {
      // It is gone already.
    }
  }

  /** The visible rows. */
  rows(): string[] {
    const { active } = this.#terminal.buffer;
    return Array.from({ length: this.#terminal.rows }, (_, row) => {
      return active.getLine(active.baseY + row)?.translateToString(true) ?? '';
    });
  }

  /** Everything, from the first line of the scrollback on; what the terminal wrapped is one line again. */
  lines(): string[] {
    const { active } = this.#terminal.buffer;
    const lines: string[] = [];
    for (let row = 0; row < active.length; row += 1) {
      const line = active.getLine(row);
      const text = line?.translateToString(true) ?? '';
      if (line?.isWrapped && lines.length > 0) lines[lines.length - 1] += text;
      else lines.push(text);
    }
    return lines;
  }

  async untilShown(text: string | RegExp, ms?: number): Promise<void> {
    const isShown = () => {
      const shown = this.rows().join('\n');
      return typeof text === 'string' ? shown.includes(text) : text.test(shown);
    };
    await until(isShown, `${text} on the screen`, ms).catch((error: Error) => {
      throw new Error(`${error.message}\n${this.rows().join('\n')}`);
    });
  }

  async untilExited(): Promise<void> {
    await until(() => this.exited !== undefined, 'the program to end');
    await this.settled();
  }

  /** What came so far is on the screen. */
  async settled(): Promise<void> {
    await this.#parsed;
  }

  count(sequence: string): number {
    return this.#output.split(sequence).length - 1;
  }
}

/** It reads its tables from the start of a buffer's memory, where those of a shared pool are not. */
export function loadGraphemes(): UnicodeGraphemesAddon {
  const { poolSize } = Buffer;
  Buffer.poolSize = 0;
  try {
    const addon = createRequire(import.meta.url)('@xterm/addon-unicode-graphemes');
    return new addon.UnicodeGraphemesAddon();
  } finally {
    Buffer.poolSize = poolSize;
  }
}

/** Which of `wanted` is missing in the lines, and which is there more than once. */
export function countLines(lines: readonly string[], wanted: readonly string[]): { lost: string[]; doubled: string[] } {
  const text = lines.join('\n');
  const times = new Map<string, number>();
  for (const [word] of text.matchAll(/[A-Z]+-?\d+/g)) times.set(word, (times.get(word) ?? 0) + 1);
  return {
    lost: wanted.filter((word) => !times.has(word)),
    doubled: wanted.filter((word) => (times.get(word) ?? 0) > 1),
  };
}

export function numbered(prefix: string, count: number, digits: number): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${pad(index + 1, digits)}`);
}

function pad(number: number, digits: number): string {
  return String(number).padStart(digits, '0');
}
