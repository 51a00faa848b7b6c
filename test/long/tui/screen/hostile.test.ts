/** Control sequences in all external text: none reaches the terminal (GT-20, TU-30). */

import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { count, openTerminal, setTerminalStage, type TestTerminal } from '../../../program/tui/terminal-stage.js';
import { agentCall } from '../../../support/agent-call.js';
import { smallServer } from '../../../support/mcp/small-server.js';
import { runProgram } from '../../../support/program.js';

/** Clears, a title, the clipboard, an 8-bit sequence, blinking, the alternate screen, the mouse, a reversed direction. */
const SEQUENCES = [
  '\u001b[2J',
  '\u001b]0;TITLE\u0007',
  '\u001b]52;c;RVZJTA==\u001b\\',
  '\u009b5m',
  '\u001b[5m',
  '\u001b[?1049h',
  '\u001b[?1000h',
  '\u001bc',
  '\u001bP1$r0m\u001b\\',
  '\u202e',
];

function hostile(tag: string): string {
  return `A${tag}${SEQUENCES.join('')}Z${tag}`;
}

function expectClean(terminal: TestTerminal): void {
  const raw = terminal.raw();
  for (const sequence of [
    '\u001b[2J',
    '\u001b]0;',
    '\u001b]52;c;RVZJ',
    '\u009b',
    '\u001b[5m',
    '\u001b[?1000h',
    '\u001bc',
  ]) {
    expect(raw.includes(sequence), `${JSON.stringify(sequence)} was written`).toBe(false);
  }
  for (const sequence of ['\u001bP', '\u202e', '\u0000']) expect(raw.includes(sequence)).toBe(false);
}

test('GT-20, TU-30: in a reply, however it is split, in thinking, and in a call', async () => {
  const stage = await setTerminalStage(
    [
      {
        when: { user: 'go' },
        reply: [
          { thinking: `I think ${hostile('THINK')}` },
          `Now ${hostile('TEXT')}\n\n\`\`\`sh\n${hostile('CODE')}\n\`\`\`\n\n| a |\n|---|\n| ${hostile('CELL')} |\n\n[a](https://e.test/${hostile('LINK')})`,
          { tool: 'Bash', input: { command: `echo ${hostile('CMD')}`, description: hostile('ABOUT') } },
        ],
      },
    ],
    { chunk: { least: 1, most: 7, seed: 3 } },
  );
  const terminal = stage.open();
  await terminal.until('? keys');
  terminal.type('go\r');
  await terminal.until(/ATEXT.*ZTEXT/);
  await terminal.until(/ACODE.*ZCODE/);
  await terminal.until(/ACELL.*ZCELL/);
  // The question shows everything: nothing that would run is left out.
  await terminal.untilSeen(/ACMD.*ZCMD/s);
  terminal.press('ctrl+o');
  await terminal.until(() => terminal.isPage, 'the transcript');
  await terminal.untilSeen(/ATEXT.*ZTEXT/);
  expect(terminal.raw().split('\u001b[?1049h')).toHaveLength(2);
  expectClean(terminal);
});

test('GT-20, TU-30: in output of tools, file content, paths, diffs and lists of files', async () => {
  const name = `${hostile('NAME').replaceAll('/', '_')}.txt`;
  const stage = await setTerminalStage([
    {
      when: { user: 'go' },
      reply: [
        { tool: 'Bash', input: { command: `cat data` } },
        { tool: 'Read', input: { file_path: name } },
        { tool: 'Grep', input: { pattern: 'ALINE', output_mode: 'content' } },
        { tool: 'Glob', input: { pattern: '*.txt' } },
        { tool: 'Write', input: { file_path: `new-${name}`, content: `${hostile('WROTE')}\nmore\n` } },
        {
          tool: 'TodoWrite',
          input: { todos: [{ content: hostile('TODO'), activeForm: hostile('DOING'), status: 'in_progress' }] },
        },
      ],
    },
    { when: { result: { tool: 'TodoWrite' } }, reply: 'ALL DONE' },
  ]);
  await stage.write('data', hostile('OUTPUT'));
  await stage.write(name, `${hostile('LINE')}\n`);
  const terminal = stage.open(['--permission-mode', 'bypassPermissions']);
  await terminal.until('? keys');
  terminal.type('go\r');
  await terminal.until('ALL DONE');
  // File completion offers the name.
  terminal.type('@dat');
  await terminal.untilSeen(/^\W*data$/m);
  terminal.press('backspace', 'backspace', 'backspace');
  await terminal.untilSeen(/> @$/m);
  terminal.press('ctrl+o');
  await terminal.until(() => terminal.isPage, 'the transcript');
  await terminal.untilSeen('ALL DONE');
  terminal.press('esc');
  await terminal.until(() => !terminal.isPage, 'the conversation');
  expectClean(terminal);
});

test('GT-20, TU-30: in names of agents, of servers and their tools, and in their messages', async () => {
  const stage = await setTerminalStage([
    { when: { said: 'CHILD' }, reply: `Child says ${hostile('CHILD')}` },
    {
      when: { user: 'go' },
      reply: [
        agentCall('CHILD', { description: hostile('TASK'), name: hostile('AGENT') }),
        { tool: 'mcp__odd__tell', input: {} },
      ],
    },
    { when: { result: { tool: 'Agent' } }, reply: 'ALL DONE' },
  ]);
  const tools = [
    {
      name: 'notify',
      description: hostile('TOOL'),
      result: { content: [{ type: 'text', text: hostile('ANSWER') }] },
    },
  ];
  await stage.settings({
    mcpServers: {
      odd: smallServer({ name: hostile('SERVER'), instructions: hostile('HOW'), tools }),
      [hostile('ENTRY')]: { command: 'false' },
    },
  });
  const terminal = stage.open(['--permission-mode', 'bypassPermissions']);
  await terminal.until('? keys');
  terminal.type('go\r');
  await terminal.until('ALL DONE');
  for (const command of ['/mcp', '/tasks', '/agents', '/status', '/context', '/cost']) {
    terminal.type(command);
    await terminal.untilSeen(`> ${command}`);
    terminal.press('enter');
    await new Promise((resolve) => setTimeout(resolve, 250));
    if (terminal.isPage) terminal.press('esc');
    await terminal.until(() => !terminal.isPage, 'the conversation');
  }
  expectClean(terminal);
});

test('GT-20, TU-30: in the status line and in errors of the API', async () => {
  const stage = await setTerminalStage([
    { when: { user: 'go' }, fault: { kind: 'bad_block', path: 'messages.0', message: hostile('FAULT') } },
    { reply: 'FINE' },
  ]);
  await stage.settings({ statusLine: { type: 'command', command: 'cat "$HOME/status"' } });
  // Its colours are the user's own, and stay.
  await writeFile(join(stage.home, 'status'), hostile('STATUS').replaceAll('\u001b[5m', ''));
  const terminal = stage.open();
  await terminal.untilSeen(/ASTATUS.*ZSTATUS/);
  terminal.type('go\r');
  await terminal.until(/AFAULT.*ZFAULT/);
  await terminal.untilGone('esc interrupts');
  expect(count(terminal.lines(), 'ZFAULT')).toBe(1);
  expectClean(terminal);
});

test('TU-30: in the name of a branch', async () => {
  const stage = await setTerminalStage([]);
  // Git forbids few of them.
  const branch = 'ABRANCH\u009b5m\u009d0;TITLE\u009c\u202eZBRANCH';
  await promisify(execFile)('git', ['init', '-q', '-b', branch, stage.folder]);
  const terminal = stage.open();
  await terminal.untilSeen(/ABRANCH.*ZBRANCH/);
  expectClean(terminal);
});

test('TU-30: in text typed elsewhere: titles and prompts in the resume picker, the history, the first prompt', async () => {
  const stage = await setTerminalStage([{ reply: 'FINE' }]);
  const prompt = `remember ${hostile('PROMPT')}`;
  expect((await runProgram(['-p', prompt], stage.at)).code).toBe(0);
  const terminal = stage.open(['--resume']);
  await terminal.untilSeen(/APROMPT.*ZPROMPT/);
  terminal.press('space');
  await terminal.untilSeen('FINE');
  terminal.press('enter');
  await terminal.until('? keys');
  terminal.press('ctrl+d');
  await terminal.ended;
  expectClean(terminal);
  const given = stage.open([prompt]);
  await given.until('FINE');
  given.press('up');
  await given.untilSeen(/> remember APROMPT/);
  expectClean(given);
});

test('TU-30: a copied reply is clean: pasted elsewhere it does nothing', async () => {
  const stage = await setTerminalStage([{ reply: `Copy ${hostile('COPY')}` }]);
  const terminal = stage.open([], { env: { SSH_CONNECTION: '10.0.0.1 5 10.0.0.2 22' } });
  await terminal.until('? keys');
  terminal.type('go\r');
  await terminal.until('ZCOPY');
  await terminal.until(/\? keys$/m);
  terminal.type('/copy');
  await terminal.untilSeen('> /copy');
  terminal.press('enter');
  await terminal.until('sent to the terminal');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the sequence begins with one.
  const [, encoded = ''] = /\u001b\]52;c;([^\u001b]*)\u001b\\/.exec(terminal.raw()) ?? [];
  const copied = Buffer.from(encoded, 'base64').toString('utf8');
  expect(copied).toMatch(/^Copy ACOPY.*ZCOPY$/);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: there is none.
  expect(copied).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
  expectClean(terminal);
});

test('TU-30: a folder with a hostile name is asked about, and shown, without effect', async () => {
  const stage = await setTerminalStage([{ reply: 'FINE' }]);
  const folder = join(stage.folder, hostile('FOLDER').replaceAll('/', '_'));
  await mkdir(join(folder, '.claude'), { recursive: true });
  await writeFile(join(folder, '.claude', 'settings.json'), JSON.stringify({ model: hostile('MODEL') }));
  const terminal = openTerminal(folder, [], { ...stage.env, TERM: 'xterm-256color', LANG: 'C.UTF-8' });
  await terminal.untilSeen(/AFOLDER[\s\S]*ZFOLDER/);
  terminal.type('y\r');
  await terminal.until('? keys');
  expectClean(terminal);
});
