/** The terminal's colours, light or dark as it reports, and plain lines on request (TU-29). */

import { expect, test } from 'vitest';
import {
  count,
  PROGRAM,
  setTerminalStage,
  type TerminalOptions,
  type TerminalStage,
  type TestTerminal,
} from '../../../program/tui/terminal-stage.js';
import { runProgram } from '../../../support/program.js';

const REPLY = 'Here is **bold** and `code`.\n\n```ts\nconst one = 1; // a comment\n```';

async function talk(stage: TerminalStage, options: TerminalOptions = {}): Promise<TestTerminal> {
  const terminal = stage.open([], options);
  await terminal.until('? keys');
  terminal.type('go\r');
  await terminal.until('a comment');
  return terminal;
}

/** Code has its colours once the languages are loaded, which happens after the start. */
async function coloured(terminal: TestTerminal): Promise<void> {
  for (let round = 0; ; round += 1) {
    terminal.type(`go ${round}\r`);
    await terminal.until(() => count(terminal.lines(), 'a comment') > round, 'the reply');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes begin with one.
    if (/\u001b\[38;2;[\d;]+mconst/.test(terminal.raw())) return;
    expect(round).toBeLessThan(20);
  }
}

/** The kinds of colours used in the whole output. */
function kindsOf(terminal: TestTerminal): string[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes begin with one.
  const codes = [...terminal.raw().matchAll(/\u001b\[([\d;]+)m/g)].map(([, code = '']) => code);
  const kinds = codes.flatMap((code) => {
    if (/(^|;)[34]8;2;/.test(code)) return ['24-bit'];
    if (/(^|;)[34]8;5;/.test(code)) return ['256'];
    return code.split(';').some((one) => /^(3[0-7]|4[0-7]|9[0-7]|10[0-7])$/.test(one)) ? ['16'] : [];
  });
  return [...new Set(kinds)];
}

test('TU-29: the colours of the terminal: none, 16, 256, 24 bits', async () => {
  const stage = await setTerminalStage([{ reply: REPLY }]);
  const none = await talk(stage, { env: { NO_COLOR: '1', COLORTERM: 'truecolor' } });
  expect(kindsOf(none)).toEqual([]);
  expect(kindsOf(await talk(stage, { env: { TERM: 'xterm' } }))).toEqual(['16']);
  expect(kindsOf(await talk(stage, { env: { TERM: 'xterm-256color' } }))).toEqual(['256']);
  expect(kindsOf(await talk(stage, { env: { COLORTERM: 'truecolor' } }))).toEqual(['24-bit']);
});

test('TU-29: light or dark as the terminal reports', async () => {
  const stage = await setTerminalStage([{ reply: REPLY }]);
  const codesOf = async (background: string | undefined) => {
    const terminal = stage.open([], { env: { COLORTERM: 'truecolor' } });
    if (background !== undefined) terminal.type(`\u001b]11;${background}\u001b\\`);
    await terminal.until('? keys');
    await coloured(terminal);
    // The reply is not typed.
    expect(terminal.lines().join('\n')).not.toContain('rgb:');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes begin with one.
    return [...terminal.raw().matchAll(/\u001b\[38;2;[\d;]+m(?=const)/g)].map(String);
  };
  const dark = await codesOf('rgb:0000/0000/0000');
  const light = await codesOf('rgb:ffff/ffff/ffff');
  expect(dark).not.toEqual([]);
  expect(light).not.toEqual([]);
  expect(light.at(-1)).not.toBe(dark.at(-1));
  expect((await codesOf(undefined)).at(-1)).toBe(dark.at(-1));
});

test('TU-29: the colour-blind pair is chosen with /theme, at once and for the next start', async () => {
  const stage = await setTerminalStage([
    { when: { result: { tool: 'Write' } }, reply: 'WRITTEN' },
    {
      when: { user: { matches: 'write (?<file>\\S+)' } },
      reply: [{ tool: 'Write', input: { file_path: '{{file}}', content: 'one\n' } }],
    },
  ]);
  const added = async (file: string, theme?: string) => {
    const terminal = stage.open(['--permission-mode', 'acceptEdits'], { env: { COLORTERM: 'truecolor' } });
    await terminal.until('? keys');
    if (theme !== undefined) {
      terminal.type(`/theme ${theme}\r`);
      await terminal.until(`theme: ${theme}`);
    }
    terminal.type(`write ${file}\r`);
    await terminal.until('WRITTEN');
    await terminal.untilGone('esc interrupts');
    terminal.press('ctrl+d');
    await terminal.ended;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes begin with one.
    return [...terminal.raw().matchAll(/\u001b\[[34]8;2;([\d;]+)m\+/g)].at(-1)?.[1];
  };
  const usual = await added('a.txt');
  const blind = await added('b.txt', 'dark-colourblind');
  expect(usual).toBeDefined();
  expect(blind).toBeDefined();
  expect(blind).not.toBe(usual);
  expect(await added('c.txt')).toBe(blind);
});

for (const [name, env] of [
  ['ACCESSIBLE=1', { ACCESSIBLE: '1' }],
  ['TERM=dumb', { TERM: 'dumb' }],
] as const) {
  test(`TU-29: ${name}: lines only, nothing is painted again`, async () => {
    const stage = await setTerminalStage([{ reply: 'A PLAIN ANSWER', delay: { firstMs: 400 } }]);
    const terminal = stage.open([], { env });
    await terminal.until('> ');
    terminal.type('go\r');
    await terminal.until('A PLAIN ANSWER');
    const raw = terminal.raw();
    // biome-ignore lint/suspicious/noControlCharactersInRegex: sequences begin with one.
    expect(raw.match(/\u001b\[\d*[ABHLM]|\u001b\[\?(?:1049|2026|25|1004)/g) ?? []).toEqual([]);
    terminal.type('/exit\r');
    expect(await terminal.ended).toBe(0);
  });
}

test('TU-29: piped input or output is unchanged: no screen', async () => {
  const stage = await setTerminalStage([{ reply: 'PIPED' }]);
  const piped = await runProgram([], { ...stage.at, input: 'hello' });
  expect(piped).toMatchObject({ code: 0, stdout: 'PIPED\n' });
  const terminal = stage.open(['-c', `echo hello | "${process.execPath}" "$0" | cat`, PROGRAM], { file: '/bin/sh' });
  expect(await terminal.ended).toBe(0);
  expect(terminal.raw()).toBe('PIPED\r\n');
});
