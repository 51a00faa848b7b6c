/** The terminal is restored after every way the program ends or pauses, and other programs get all of it (TU-32). */

import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runningIn } from '../../../support/processes.js';
import { until } from '../../../support/until.js';
import {
  count,
  expectEarlierLines,
  PROGRAM,
  setTerminalStage,
  type TerminalStage,
  type TestTerminal,
} from '../terminal-stage.js';

/** `inShell`: bash itself enables bracketed paste. */
function expectRestored(terminal: TestTerminal, inShell = false): void {
  const { modes } = terminal.terminal;
  const raw = terminal.raw();
  if (!inShell) expect(modes.bracketedPasteMode).toBe(false);
  expect(modes.sendFocusMode).toBe(false);
  expect(modes.wraparoundMode).toBe(true);
  expect(modes.synchronizedOutputMode).toBe(false);
  expect(raw.lastIndexOf('\u001b[?25l')).toBeLessThan(raw.lastIndexOf('\u001b[?25h'));
  expect(terminal.isPage).toBe(false);
  expect(raw.split('\u001b[>1u').length).toBe(raw.split('\u001b[<u').length);
}

/** A shell that starts the program, so that the terminal can be returned to it. */
async function openInShell(stage: TerminalStage, env: Record<string, string> = {}): Promise<TestTerminal> {
  const terminal = stage.open(['--norc', '--noprofile', '-i'], { file: 'bash', env: { PS1: 'SHELL$ ', ...env } });
  await terminal.untilSeen(/SHELL\$ ?$/m);
  terminal.type(`"${process.execPath}" "${PROGRAM}"\r`);
  await terminal.until('? keys');
  return terminal;
}

async function expectShellWorks(terminal: TestTerminal): Promise<void> {
  await terminal.untilSeen(/SHELL\$ ?$/m);
  terminal.type('stty -a | grep -o -e "-\\?\\(icanon\\|echo\\|isig\\|opost\\)\\b" | tr "\\n" ,\r');
  await terminal.untilSeen(/^opost,isig,icanon,echo,/m);
}

const LONG = [{ when: { user: 'go' }, reply: 'never', delay: { firstMs: 600_000 } }, { reply: 'FINE' }];

test('TU-32: after exiting: the shell has its terminal back, its lines are there, the cursor is below', async () => {
  const stage = await setTerminalStage([{ reply: 'FINE' }]);
  const terminal = await openInShell(stage);
  terminal.type('hello\r');
  await terminal.until('FINE');
  await terminal.untilGone('esc interrupts');
  terminal.press('ctrl+d');
  await expectShellWorks(terminal);
  expectRestored(terminal, true);
  expectEarlierLines(terminal.lines());
});

for (const [signal, code] of [
  ['SIGTERM', 143],
  ['SIGHUP', 129],
  ['SIGINT', 130],
] as const) {
  test(`TU-32: after ${signal}, during a turn and with a page open`, async () => {
    const stage = await setTerminalStage(LONG);
    const terminal = stage.open();
    await terminal.until('? keys');
    terminal.type('go\r');
    await terminal.untilSeen('esc interrupts');
    terminal.press('ctrl+o');
    await terminal.until(() => terminal.isPage, 'the page');
    terminal.process.kill(signal);
    expect(await terminal.ended).toBe(code);
    expectRestored(terminal);
    expectEarlierLines(terminal.lines());
  });
}

test('TU-32: after an uncaught error: it is on the screen, and the terminal is restored', async () => {
  const stage = await setTerminalStage(LONG);
  // Loaded before the program, by Node itself: an unexpected error.
  const bomb = join(stage.home, 'bomb.cjs');
  await writeFile(bomb, `process.on('SIGUSR2', () => setTimeout(() => { throw new Error('OUT OF NOWHERE'); }, 1));`);
  const terminal = stage.open([], { env: { NODE_OPTIONS: `--require=${bomb}` } });
  await terminal.until('? keys');
  terminal.type('go\r');
  await terminal.untilSeen('esc interrupts');
  terminal.press('ctrl+o');
  await terminal.until(() => terminal.isPage, 'the page');
  terminal.process.kill('SIGUSR2');
  expect(await terminal.ended).not.toBe(0);
  expectRestored(terminal);
  expect(terminal.lines().join('\n')).toContain('OUT OF NOWHERE');
  expectEarlierLines(terminal.lines());
});

test('TU-32: kill -9: the earlier lines are there, and nothing was cleared', async () => {
  const stage = await setTerminalStage([{ reply: 'FINE' }]);
  const terminal = await openInShell(stage);
  terminal.type('hello\r');
  await terminal.until('FINE');
  const pid = Number(
    (await readFile(`/proc/${terminal.process.pid}/task/${terminal.process.pid}/children`, 'utf8')).trim(),
  );
  process.kill(pid, 'SIGKILL');
  await terminal.untilSeen(/Killed[\s\S]*SHELL\$/);
  expectEarlierLines(terminal.lines());
  expect(count(terminal.lines(), 'FINE')).toBe(1);
});

test('TU-32: Ctrl+Z returns the terminal to the shell, fg returns it to us, with the draft and everything new', async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const stage = await setTerminalStage([
    {
      when: { user: 'go' },
      reply: async () => {
        await held;
        return 'IT CAME';
      },
    },
  ]);
  const terminal = await openInShell(stage);
  terminal.type('go\r');
  await terminal.untilSeen('esc interrupts');
  terminal.type('a draft');
  await terminal.untilSeen('> a draft');
  terminal.press('ctrl+z');
  await terminal.untilSeen(/Stopped/);
  expect(terminal.terminal.modes.sendFocusMode).toBe(false);
  await expectShellWorks(terminal);
  expect(terminal.rows().join('\n')).not.toContain('> a draft');
  release();
  terminal.type('fg\r');
  await terminal.untilSeen('> a draft');
  await terminal.until('IT CAME');
  expect(terminal.terminal.modes.sendFocusMode).toBe(true);
  terminal.type(' goes on');
  await terminal.untilSeen('> a draft goes on');
  expect(count(terminal.lines(), 'IT CAME')).toBe(1);
});

test('TU-32: Ctrl+Z with a page open: the shell is on the normal screen, and fg shows the page again', async () => {
  const stage = await setTerminalStage([{ reply: 'FINE' }]);
  const terminal = await openInShell(stage);
  terminal.type('hello\r');
  await terminal.until('FINE');
  await terminal.untilGone('esc interrupts');
  terminal.press('ctrl+o');
  await terminal.until(() => terminal.isPage, 'the page');
  terminal.press('ctrl+z');
  await terminal.untilSeen(/Stopped/);
  expect(terminal.isPage).toBe(false);
  await expectShellWorks(terminal);
  terminal.type('fg\r');
  await terminal.until(() => terminal.isPage, 'the page again');
  await terminal.untilSeen('FINE');
  terminal.press('esc');
  await terminal.until(() => !terminal.isPage, 'the conversation');
  await terminal.untilSeen(/^> $/m);
  terminal.press('ctrl+d');
  await expectShellWorks(terminal);
  expectRestored(terminal, true);
  expectEarlierLines(terminal.lines());
});

test('Ctrl+G: the draft in the external editor, which has the whole terminal; its result comes back', async () => {
  const stage = await setTerminalStage([{ reply: 'FINE' }]);
  const editor = join(stage.home, 'editor');
  await writeFile(
    editor,
    '#!/bin/sh\nstty -a | grep -o -e "-\\?icanon"\necho EDITING "$(cat "$1")"; read line; printf "%s\\nand %s\\n" "$(cat "$1")" "$line" > "$1"\n',
  );
  await chmod(editor, 0o755);
  const terminal = stage.open([], { env: { EDITOR: editor } });
  await terminal.until('? keys');
  terminal.type('a draft');
  await terminal.untilSeen('> a draft');
  terminal.press('ctrl+g');
  await terminal.untilSeen('EDITING a draft');
  await terminal.untilSeen(/^icanon$/m);
  expectRestored(terminal);
  terminal.type('more\r');
  await terminal.untilSeen(/> a draft\n {2}and more/);
  terminal.type('!');
  await terminal.untilSeen('and more!');
  expect(terminal.terminal.modes.bracketedPasteMode).toBe(true);
  terminal.press('enter');
  await terminal.until('FINE');
  expect(JSON.stringify(stage.sim.requests[0]?.body.messages)).toContain('a draft\\nand more!');
  expectEarlierLines(terminal.lines());
});

test('a page in the external pager, and back', async () => {
  const stage = await setTerminalStage([{ reply: 'A REPLY TO READ' }]);
  const pager = join(stage.home, 'pager');
  await writeFile(pager, '#!/bin/sh\necho PAGING; grep -c "A REPLY" "$1"; read line\n');
  await chmod(pager, 0o755);
  const terminal = stage.open([], { env: { PAGER: pager } });
  await terminal.until('? keys');
  terminal.type('go\r');
  await terminal.until('A REPLY TO READ');
  await terminal.untilGone('esc interrupts');
  terminal.press('ctrl+o');
  await terminal.until(() => terminal.isPage, 'the transcript');
  await terminal.untilSeen('A REPLY TO READ');
  terminal.press('v');
  await terminal.untilSeen(/PAGING\n1/);
  expectRestored(terminal);
  terminal.type('\r');
  await terminal.until(() => terminal.isPage, 'the transcript again');
  await terminal.untilSeen('A REPLY TO READ');
  terminal.press('esc');
  await terminal.until(() => !terminal.isPage, 'the conversation');
  expect(count(terminal.lines(), 'A REPLY TO READ')).toBe(1);
});

test('TU-32: the window is closed during a turn: the program ends, with everything it started', async () => {
  const stage = await setTerminalStage([
    { when: { user: 'go' }, reply: [{ tool: 'Bash', input: { command: 'echo $$ > shell.pid; exec sleep 600' } }] },
  ]);
  const terminal = stage.open(['--permission-mode', 'bypassPermissions']);
  await terminal.until('? keys');
  terminal.type('go\r');
  await terminal.untilSeen('sleep 600');
  await until(async () => (await stage.read('shell.pid').catch(() => '')) !== '', 'the command runs');
  (terminal.process as unknown as { destroy(): void }).destroy();
  await until(() => runningIn(stage.home).length === 0, 'the program and its command ended');
});
