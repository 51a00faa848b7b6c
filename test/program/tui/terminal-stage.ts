/** The real program at a real terminal: presses keys, reads the screen, counts lines. */

import { join } from 'node:path';
import * as pty from '@lydell/node-pty';
import unicode11 from '@xterm/addon-unicode11';
import xterm from '@xterm/headless';
import { expect, onTestFinished } from 'vitest';
import type { Rule, SimOptions } from '../../../src/sim/index.js';
import { buildProgram } from '../../support/program.js';
import { loadGraphemes } from '../../support/pty-terminal.js';
import { type Stage, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';

export const PROGRAM = join(import.meta.dirname, '../../../dist/cli.js');

/** Lines printed in the terminal before the program: they must stay. */
export const EARLIER = 50;

export type TestTerminal = {
  readonly process: pty.IPty;
  readonly terminal: InstanceType<typeof xterm.Terminal>;
  /** The rows visible now. */
  rows(): string[];
  /** Everything, including the scrollback: wrapped rows are one line. */
  lines(): string[];
  /** Every byte the program wrote. */
  raw(): string;
  type(text: string): void;
  /** Keys by name, one after another: `enter`, `esc`, `ctrl+b`, `shift+tab`, `up`. */
  press(...names: string[]): void;
  paste(text: string): void;
  resize(columns: number, rows: number): void;
  /** True if a page covers the conversation. */
  readonly isPage: boolean;
  /** The position of the cursor. */
  readonly cursor: { readonly row: number; readonly column: number };
  /** Waits until it is on the screen or in the scrollback: a text, or a condition. */
  until(wanted: string | RegExp | (() => boolean), what?: string): Promise<void>;
  /** Waits until the visible rows have it. */
  untilSeen(wanted: string | RegExp): Promise<void>;
  /** Waits until the visible rows no longer have it. */
  untilGone(wanted: string | RegExp): Promise<void>;
  readonly ended: Promise<number>;
};

export type TerminalOptions = {
  readonly env?: Record<string, string>;
  readonly columns?: number;
  readonly rows?: number;
  /** Another program, which may start ours. */
  readonly file?: string;
  /** The width table of the terminal: `graphemes` takes a family of emoji as one. */
  readonly widths?: 'unicode11' | 'graphemes';
};

export type TerminalStage = Omit<Stage, 'open'> & {
  open(args?: readonly string[], options?: TerminalOptions): TestTerminal;
};

export async function setTerminalStage(rules: readonly Rule[], options?: SimOptions): Promise<TerminalStage> {
  await buildProgram();
  const stage = await setStage(rules, options);
  return {
    ...stage,
    open: (args = [], { env = {}, ...more } = {}) =>
      openTerminal(stage.folder, args, { ...stage.env, TERM: 'xterm-256color', LANG: 'C.UTF-8', ...env }, more),
  };
}

export function openTerminal(
  cwd: string,
  args: readonly string[],
  env: Record<string, string | undefined>,
  { columns = 100, rows = 30, file = process.execPath, widths = 'unicode11' }: Omit<TerminalOptions, 'env'> = {},
): TestTerminal {
  const terminal = new xterm.Terminal({
    cols: columns,
    rows,
    scrollback: 60_000,
    allowProposedApi: true,
    logLevel: 'off',
  });
  if (widths === 'graphemes') terminal.loadAddon(loadGraphemes() as never);
  else {
    terminal.loadAddon(new unicode11.Unicode11Addon());
    terminal.unicode.activeVersion = '11';
  }
  for (let line = 1; line <= EARLIER; line += 1)
    terminal.write(`EARLIER-${String(line).padStart(2, '0')} of the shell\r\n`);
  const child = pty.spawn(file, file === process.execPath ? [PROGRAM, ...args] : [...args], {
    name: env.TERM ?? 'xterm-256color',
    cols: columns,
    rows,
    cwd,
    env: Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined)) as Record<string, string>,
  });
  let raw = '';
  let gone = false;
  child.onData((data) => {
    raw += data;
    terminal.write(data);
  });
  // Queries of the program to the terminal are answered.
  terminal.onData((data) => {
    if (!gone) child.write(data);
  });
  const ended = new Promise<number>((resolve) =>
    child.onExit(({ exitCode }) => {
      gone = true;
      terminal.write('', () => resolve(exitCode));
    }),
  );
  onTestFinished(async () => {
    if (!gone) child.kill('SIGKILL');
    await ended;
    terminal.dispose();
  });
  const seen = () => {
    const { active } = terminal.buffer;
    return Array.from(
      { length: terminal.rows },
      (_, row) => active.getLine(active.baseY + row)?.translateToString(true) ?? '',
    );
  };
  const lines = () => {
    const { active } = terminal.buffer;
    const all: string[] = [];
    for (let row = 0; row < active.length; row += 1) {
      const line = active.getLine(row);
      const text = line?.translateToString(true) ?? '';
      if (line?.isWrapped && all.length > 0) all[all.length - 1] += text;
      else all.push(text);
    }
    return all;
  };
  let changes = 0;
  terminal.onWriteParsed(() => {
    changes += 1;
  });
  const wait = async (holds: () => boolean, what: string) => {
    let held = false;
    const look = () => {
      held = holds();
      return held || gone;
    };
    await until(look, what).catch(() => {});
    if (gone) await ended;
    if (!held && !holds()) expect.fail(`it never came to that: ${what}. The screen:\n${seen().join('\n')}`);
  };
  /** Reads the screen again only when something was written to it. */
  const waitFor = (read: () => string[], holds: (text: string) => boolean, what: string) => {
    let looked = -1;
    return wait(() => {
      if (looked === changes) return false;
      looked = changes;
      return holds(read().join('\n'));
    }, what);
  };
  const has = (text: string, wanted: string | RegExp) =>
    typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text);
  return {
    process: child,
    terminal,
    rows: seen,
    lines,
    raw: () => raw,
    type: (text) => child.write(text),
    press: (...names) => {
      for (const name of names) child.write(keyBytes(name));
    },
    paste: (text) => child.write(`\u001b[200~${text.replaceAll('\n', '\r')}\u001b[201~`),
    resize: (cols, height) => {
      terminal.resize(cols, height);
      child.resize(cols, height);
    },
    get isPage() {
      return terminal.buffer.active.type === 'alternate';
    },
    get cursor() {
      const { cursorX, cursorY } = terminal.buffer.active;
      return { row: cursorY, column: cursorX };
    },
    until: (wanted, what = String(wanted)) =>
      typeof wanted === 'function' ? wait(wanted, what) : waitFor(lines, (text) => has(text, wanted), what),
    untilSeen: (wanted) => waitFor(seen, (text) => has(text, wanted), `${wanted} is seen`),
    untilGone: (wanted) => waitFor(seen, (text) => !has(text, wanted), `${wanted} is gone`),
    ended,
  };
}

const KEYS: Readonly<Record<string, string>> = {
  enter: '\r',
  esc: '\u001b',
  tab: '\t',
  'shift+tab': '\u001b[Z',
  backspace: '\u007f',
  space: ' ',
  up: '\u001b[A',
  down: '\u001b[B',
  right: '\u001b[C',
  left: '\u001b[D',
  home: '\u001b[H',
  end: '\u001b[F',
  pageup: '\u001b[5~',
  pagedown: '\u001b[6~',
  delete: '\u001b[3~',
  'ctrl+_': '\u001f',
};

export function keyBytes(name: string): string {
  const known = KEYS[name];
  if (known !== undefined) return known;
  const control = /^ctrl\+([a-z])$/.exec(name)?.[1];
  if (control !== undefined) return String.fromCharCode(control.charCodeAt(0) - 96);
  const alt = /^alt\+(.+)$/.exec(name)?.[1];
  if (alt !== undefined) return `\u001b${keyBytes(alt)}`;
  return name;
}

/** Counts a text in lines. */
export function count(lines: readonly string[], part: string): number {
  return lines.join('\n').split(part).length - 1;
}

/** The terminal's earlier lines are there, each once. */
export function expectEarlierLines(lines: readonly string[]): void {
  const earlier = lines.filter((line) => /^EARLIER-\d\d of the shell$/.test(line));
  expect(earlier).toEqual(
    Array.from({ length: EARLIER }, (_, index) => `EARLIER-${String(index + 1).padStart(2, '0')} of the shell`),
  );
}
