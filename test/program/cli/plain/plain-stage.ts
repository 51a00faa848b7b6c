/** The real program on a stage: over pipes, or at a real terminal (a pty with a screen that can be read). */

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { join } from 'node:path';
import * as pty from '@lydell/node-pty';
import xterm from '@xterm/headless';
import { expect, onTestFinished } from 'vitest';
import type { Rule, SimOptions } from '../../../../src/sim/index.js';
import { buildProgram } from '../../../support/program.js';
import { type Stage, setStage } from '../../../support/story.js';
import { until } from '../../../support/until.js';

export const PROGRAM = join(import.meta.dirname, '../../../../dist/cli.js');

type Piped = {
  readonly child: ChildProcessWithoutNullStreams;
  readonly stdout: () => string;
  readonly stderr: () => string;
  say(line: string): void;
  /** Waits until it is there, however long that takes. */
  until(text: string | RegExp): Promise<void>;
  /** Ends the input and waits for the program to end. */
  end(): Promise<number | null>;
  readonly ended: Promise<number | null>;
};

type Screen = {
  readonly process: pty.IPty;
  /** All there is to see, with what has scrolled away. */
  text(): string;
  /** Every byte the program wrote. */
  raw(): string;
  readonly terminal: InstanceType<typeof xterm.Terminal>;
  type(keys: string): void;
  until(text: string | RegExp): Promise<void>;
  readonly ended: Promise<number>;
};

export type PlainStage = Stage & {
  pipe(args?: readonly string[], env?: Record<string, string>): Piped;
  screen(args?: readonly string[], env?: Record<string, string>, file?: string): Screen;
};

export async function setPlainStage(rules: readonly Rule[], options?: SimOptions): Promise<PlainStage> {
  await buildProgram();
  const stage = await setStage(rules, options);
  const environment = (more: Record<string, string>) =>
    Object.fromEntries(
      Object.entries({ ...stage.env, TERM: 'xterm-256color', ...more }).filter(([, value]) => value !== undefined),
    ) as Record<string, string>;
  return {
    ...stage,
    pipe: (args = ['--plain'], env = {}) => startPiped(stage.folder, args, environment(env)),
    screen: (args = ['--plain'], env = {}, file = process.execPath) =>
      startScreen(file, file === process.execPath ? [PROGRAM, ...args] : [...args], stage.folder, environment(env)),
  };
}

function startPiped(cwd: string, args: readonly string[], env: Record<string, string>): Piped {
  const child = spawn(process.execPath, [PROGRAM, ...args], { cwd, env });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => (out += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk) => (err += chunk));
  child.stdin.on('error', () => {});
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return {
    child,
    stdout: () => out,
    stderr: () => err,
    say: (line) => child.stdin.write(`${line}\n`),
    until: (text) =>
      untilSeen(
        () => out,
        text,
        ended,
        () => err,
      ),
    end: () => {
      child.stdin.end();
      return ended;
    },
    ended,
  };
}

function startScreen(file: string, args: string[], cwd: string, env: Record<string, string>): Screen {
  const terminal = new xterm.Terminal({ cols: 100, rows: 40, scrollback: 5_000, allowProposedApi: true });
  const process = pty.spawn(file, args, { name: env.TERM, cols: 100, rows: 40, cwd, env });
  let raw = '';
  let gone = false;
  process.onData((data) => {
    raw += data;
    terminal.write(data);
  });
  const ended = new Promise<number>((resolve) =>
    process.onExit(({ exitCode }) => {
      gone = true;
      // The screen shows what was written to it a little later: all of it, once this has had its turn.
      terminal.write('', () => resolve(exitCode));
    }),
  );
  onTestFinished(async () => {
    if (!gone) process.kill('SIGKILL');
    await ended;
    terminal.dispose();
  });
  const text = () => {
    const { active } = terminal.buffer;
    const rows = Array.from({ length: active.length }, (_, row) => active.getLine(row));
    let shown = '';
    for (const row of rows) shown += `${row?.isWrapped ? '' : '\n'}${row?.translateToString(true) ?? ''}`;
    return shown;
  };
  return {
    process,
    terminal,
    text,
    raw: () => raw,
    type: (keys) => process.write(keys),
    until: (wanted) => untilSeen(text, wanted, ended, () => raw),
    ended,
  };
}

async function untilSeen(
  text: () => string,
  wanted: string | RegExp,
  ended: Promise<unknown>,
  more: () => string,
): Promise<void> {
  let over = false;
  void ended.then(() => (over = true));
  let seen = false;
  const look = () => {
    seen = typeof wanted === 'string' ? text().includes(wanted) : wanted.test(text());
    return seen || over;
  };
  await until(look, String(wanted)).catch(() => {});
  if (!seen) look();
  if (!seen) expect.fail(`${wanted} was not seen. There is:\n${text()}\n---\n${more()}`);
}

/** How often something is to be seen. */
export function count(text: string, part: string): number {
  return text.split(part).length - 1;
}
