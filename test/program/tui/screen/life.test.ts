/** The terminal while a screen has it, and after: modes, the caret, pages, other programs, Ctrl+Z, crashes, signals. */

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundle } from '../../../support/bundle.js';
import { groupRuns } from '../../../support/processes.js';
import { type PtyOptions, PtyTerminal } from '../../../support/pty-terminal.js';
import { until } from '../../../support/until.js';

let folder: string;
let program: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coppice-test-'));
  program = await bundle(new URL('./streaming-child.ts', import.meta.url), folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function start(options: PtyOptions = {}): PtyTerminal {
  const env = { TERM: 'xterm-256color', AGENTS: '3', ...options.env };
  return new PtyTerminal(process.execPath, [program], { earlier: 5, ...options, env });
}

function expectRestored(terminal: PtyTerminal): void {
  expect(terminal.modes.bracketedPasteMode).toBe(false);
  expect(terminal.modes.sendFocusMode).toBe(false);
  expect(terminal.modes.wraparoundMode).toBe(true);
  expect(terminal.modes.synchronizedOutputMode).toBe(false);
  expect(terminal.isCursorHidden).toBe(false);
  expect(terminal.isPage).toBe(false);
  expect(terminal.count('\u001b[>1u')).toBe(terminal.count('\u001b[<u'));
}

describe('a screen has the terminal', () => {
  test('TU-19: the cursor stands at the caret, after a joined emoji too', async () => {
    const terminal = start({ widths: 'graphemes' });
    await terminal.untilShown('STATUS');
    terminal.type('ab');
    await terminal.untilShown('> ab');
    expect(terminal.rows()[terminal.cursor.row]).toBe('> ab');
    expect(terminal.cursor.column).toBe(4);
    terminal.type('é你');
    await terminal.untilShown('> abé你');
  });

  test('pastes come in brackets, the focus is reported, keys come by the kitty protocol', async () => {
    const terminal = start();
    await terminal.untilShown('STATUS');
    await until(() => terminal.count('\u001b[>1u') === 1, 'the kitty flags');
    expect(terminal.modes).toMatchObject({ bracketedPasteMode: true, sendFocusMode: true });
    expect(terminal.count('\u001b]11;?')).toBe(1);
    // The answer is not typed.
    expect(terminal.rows()).toContain('> ');
  });

  test('a terminal that answers nothing gets no flags; the console is not even asked', async () => {
    const silent = start({ isSilent: true });
    const console = start({ env: { TERM: 'linux' } });
    for (const terminal of [silent, console]) {
      terminal.type('typed');
      await terminal.untilShown('> typed');
      expect(terminal.count('\u001b[>1u')).toBe(0);
    }
    expect(console.output).not.toMatch(/\[\?u|\]11;/);
  });

  test('TU-1: a page leaves the conversation as it was', async () => {
    const terminal = start();
    terminal.type('a draft');
    await terminal.untilShown('> a draft');
    const before = terminal.lines().filter((line) => !line.includes('agent-'));
    terminal.type('\u000f');
    await terminal.untilShown('PAGE row 0');
    expect(terminal.isPage).toBe(true);
    terminal.type('\u000f');
    await terminal.untilShown('> a draft');
    expect(terminal.isPage).toBe(false);
    expect(terminal.lines().filter((line) => !line.includes('agent-'))).toEqual(before);
    // The alternate screen has flags of its own.
    expect(terminal.count('\u001b[>1u')).toBe(2);
  });

  test('Ctrl+L paints the live area again, once', async () => {
    const terminal = start();
    await terminal.untilShown('STATUS');
    terminal.type('\u000cafter');
    await terminal.untilShown('> after');
    expect(terminal.lines().filter((line) => line === 'EDITOR')).toHaveLength(1);
    expect(terminal.lines().filter((line) => line.startsWith('SHELL-'))).toHaveLength(5);
  });

  test('another program has the terminal, and gives it back', async () => {
    const terminal = start();
    await terminal.untilShown('STATUS');
    terminal.type('\u0007');
    await terminal.untilShown('from the other program');
    expect(terminal.rows().join('\n')).not.toContain('EDITOR');
    expectRestored(terminal);
    terminal.type('a line\r');
    await terminal.untilShown(/it read a line[\s\S]*EDITOR/);
    terminal.type('typed');
    await terminal.untilShown('> typed');
    expect(terminal.modes.bracketedPasteMode).toBe(true);
  });
});

describe('TU-32: the terminal is as it was', () => {
  test('after the end: the cursor stands below', async () => {
    const terminal = start();
    await terminal.untilShown('STATUS');
    terminal.type('\u0004');
    await terminal.untilExited();
    expect(terminal.exited).toMatchObject({ exitCode: 0 });
    expectRestored(terminal);
    expect(terminal.rows()[terminal.cursor.row - 1]).toContain('STATUS');
  });

  test('after an error that nobody caught, with a page open: the error is on the screen', async () => {
    const terminal = start();
    await terminal.untilShown('STATUS');
    terminal.type('\u000f');
    await terminal.untilShown('PAGE');
    terminal.type('\u0018');
    await terminal.untilExited();
    expect(terminal.exited).toMatchObject({ exitCode: 1 });
    expectRestored(terminal);
    expect(terminal.lines().join('\n')).toContain('an error that nobody caught');
  });

  for (const [signal, number] of [
    ['SIGTERM', 15],
    ['SIGHUP', 1],
    ['SIGINT', 2],
  ] as const) {
    test(`after ${signal}`, async () => {
      const terminal = start();
      await terminal.untilShown('STATUS');
      terminal.kill(signal);
      await terminal.untilExited();
      expect(terminal.exited).toMatchObject({ signal: number });
      expectRestored(terminal);
    });
  }

  test('the window is closed: the program ends without a word', async () => {
    const errors = join(folder, 'errors');
    const terminal = new PtyTerminal('bash', ['-c', `exec "$0" "$1" 2> "$2"`, process.execPath, program, errors], {
      env: { TERM: 'xterm-256color' },
    });
    await terminal.untilShown('STATUS');
    terminal.close();
    await until(() => !groupRuns(terminal.pid), 'the program to end');
    expect(await readFile(errors, 'utf8')).toBe('');
  });
});

describe('Ctrl+Z', () => {
  test('under a shell: the shell has its terminal back, and fg the screen its own', async () => {
    const terminal = new PtyTerminal('bash', ['--norc', '--noprofile', '-i'], {
      env: { TERM: 'xterm-256color', PS1: 'PROMPT$ ', AGENTS: '3' },
    });
    await terminal.untilShown('PROMPT$');
    terminal.type(`"${process.execPath}" "${program}"\r`);
    await terminal.untilShown('STATUS');
    terminal.type('abc');
    await terminal.untilShown('> abc');
    terminal.type('\u001a');
    await terminal.untilShown(/Stopped[\s\S]*PROMPT\$ $/m);
    expect(terminal.modes.sendFocusMode).toBe(false);
    expect(terminal.rows().join('\n')).not.toContain('EDITOR');
    terminal.type('stty -a | grep -o -e "-\\?icanon"\r');
    await terminal.untilShown(/^icanon$/m);
    terminal.type('fg\r');
    await terminal.untilShown('> abc');
    terminal.type('def');
    await terminal.untilShown('> abcdef');
    expect(terminal.lines().filter((line) => line === 'EDITOR')).toHaveLength(1);
    terminal.type('\u0004');
    await terminal.untilShown(/STATUS[\s\S]*PROMPT\$ $/m);
  });

  test('where nobody could continue it, it goes on', async () => {
    const terminal = start();
    terminal.type('abc');
    await terminal.untilShown('> abc');
    terminal.type('\u001a');
    terminal.type('def');
    await terminal.untilShown('> abcdef');
    expect(terminal.modes.bracketedPasteMode).toBe(true);
    expect(terminal.lines().filter((line) => line === 'EDITOR')).toHaveLength(1);
  });
});
