/** Resuming a session at a real terminal: the conversation so far, what was interrupted, and one key to continue (TU-25). */

import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { agentCall } from '../../../support/agent-call.js';
import {
  count,
  expectEarlierLines,
  setTerminalStage,
  type TerminalStage,
  type TestTerminal,
} from '../terminal-stage.js';
import { untilEdited, untilOpen } from '../until-open.js';

async function say(terminal: TestTerminal, words: string, reply: string | RegExp): Promise<void> {
  terminal.type(words);
  terminal.press('enter');
  await terminal.until(reply);
}

async function leave(terminal: TestTerminal): Promise<void> {
  terminal.press('ctrl+d');
  expect(await terminal.ended).toBe(0);
}

async function transcripts(stage: TerminalStage): Promise<string[]> {
  const home = join(stage.home, '.coppice', 'projects');
  const all = await readdir(home, { recursive: true });
  return all.filter((name) => /\/[0-9a-f-]{36}\.jsonl$/.test(name)).map((name) => join(home, name));
}

/** Reads the status until the main agent has ended its turn. */
async function untilIdle(terminal: TestTerminal): Promise<void> {
  const answers = () => terminal.lines().filter((line) => line.includes('main agent: '));
  while (!answers().at(-1)?.includes('main agent: waiting')) {
    const before = answers().length;
    await say(terminal, '/status', 'main agent: ');
    await terminal.until(() => answers().length > before, 'another answer');
  }
}

test('TU-25: --continue shows the end of the conversation: prompts, calls, own shell lines, replies, each once', async () => {
  const stage = await setTerminalStage([
    { when: { user: 'READ IT' }, reply: [{ tool: 'Read', input: { file_path: 'notes.md' } }], times: 1 },
    { when: { result: { tool: 'Read' } }, reply: 'It is about moss.' },
    { when: { user: 'and again' }, reply: 'Still moss.' },
    { reply: 'OTHER.' },
  ]);
  await stage.write('notes.md', 'moss\n');
  const first = stage.open();
  await untilOpen(first);
  await say(first, 'READ IT', 'It is about moss.');
  await say(first, '!echo typed-by-hand', /^ +typed-by-hand$/m);
  await say(first, 'and again', 'Still moss.');
  await leave(first);

  const second = stage.open(['--continue']);
  await untilOpen(second);
  await second.until('Resumed session');
  const lines = second.lines();
  for (const said of ['> READ IT', 'It is about moss.', '> and again', 'Still moss.', 'Bash echo typed-by-hand']) {
    expect(count(lines, said), said).toBe(1);
  }
  expect(lines.filter((line) => line.trim() === 'typed-by-hand')).toHaveLength(1);
  expect(lines.join('\n')).toMatch(/Read notes\.md/);
  const order = [
    '> READ IT',
    'Read notes.md',
    'It is about moss.',
    'Bash echo',
    '> and again',
    'Still moss.',
    'Resumed session',
  ];
  const places = order.map((part) => lines.findIndex((line) => line.includes(part)));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expectEarlierLines(lines);
  expect(stage.sim.requests).toHaveLength(3);
});

test('TU-25: after a kill during its work Enter alone continues; the interruption is reported', async () => {
  const stage = await setTerminalStage([
    { when: { user: 'go on' }, reply: 'WENT ON.' },
    { when: { nth: 1 }, reply: [{ tool: 'Bash', input: { command: 'sleep 300' } }] },
    { reply: 'NEVER.' },
  ]);
  const first = stage.open(['--permission-mode', 'bypassPermissions']);
  await untilOpen(first);
  first.type('work long');
  first.press('enter');
  await first.untilSeen(/Bash sleep 300/);
  process.kill(first.process.pid, 'SIGKILL');
  await first.ended;

  const second = stage.open(['--continue']);
  await untilOpen(second);
  await second.until('The last run was cut off');
  await second.until('Press enter to continue, or type something else.');
  expect(count(second.lines(), '> work long')).toBe(1);
  second.press('enter');
  await second.until('WENT ON.');
  const sent = stage.sim.requests.length;
  // Once: afterwards Enter alone does nothing.
  second.press('enter');
  await untilIdle(second);
  expect(stage.sim.requests).toHaveLength(sent);
});

test('TU-25: an agent that a kill interrupted is resumed with r in the tree', async () => {
  const stage = await setTerminalStage([
    { when: { said: 'STUDY MOSS', user: /go on|interrupted|continue/i }, reply: 'MOSS STUDIED.' },
    { when: { said: 'STUDY MOSS' }, reply: [{ tool: 'Bash', input: { command: 'sleep 300' } }], times: 1 },
    { when: { said: 'STUDY MOSS' }, reply: 'MOSS STUDIED.' },
    { when: { nth: 1 }, reply: [agentCall('STUDY MOSS', { name: 'botanist', run_in_background: true })] },
    { reply: 'STARTED.' },
  ]);
  const first = stage.open(['--permission-mode', 'bypassPermissions']);
  await untilOpen(first);
  await say(first, 'begin', 'STARTED.');
  await first.untilSeen(/botanist.*Bash/);
  process.kill(first.process.pid, 'SIGKILL');
  await first.ended;

  const second = stage.open(['--continue', '--permission-mode', 'bypassPermissions']);
  await untilOpen(second);
  await second.until('1 agent was interrupted');
  await second.until('botanist');
  const before = stage.sim.requests.length;
  second.press('ctrl+t');
  await second.untilSeen(/botanist.*interrupted|interrupted.*botanist/);
  second.press('r');
  await second.until(() => stage.sim.requests.length > before, 'the agent goes on');
  await second.until(/botanist.*done|botanist completed|✓ .*botanist/);
});

test('TU-25: the picker of --resume: name, last prompt, age; filter, preview, all folders, Enter', async () => {
  const stage = await setTerminalStage([{ reply: 'ANSWERED.' }]);
  for (const [words, name] of [
    ['plant the moss', 'mossy'],
    ['water the fern', ''],
  ] as const) {
    const terminal = stage.open();
    await untilOpen(terminal);
    await say(terminal, words, 'ANSWERED.');
    if (name !== '') await say(terminal, `/rename ${name}`, `name: ${name}`);
    await leave(terminal);
  }
  const terminal = stage.open(['--resume']);
  await terminal.untilSeen('Resume a session');
  await terminal.untilSeen(/mossy · plant the moss/);
  await terminal.untilSeen('water the fern');
  expect(terminal.rows().join('\n')).toMatch(/(?:s|just now|ago|m)\b.* · water the fern/);
  terminal.type('mos');
  await terminal.untilSeen('1 of 2');
  terminal.press('space');
  await terminal.untilSeen('● ANSWERED.');
  terminal.press('ctrl+a');
  await terminal.untilSeen(stage.folder);
  terminal.press('enter');
  await untilOpen(terminal);
  await terminal.until('> plant the moss');
  await terminal.until('Resumed session');
  expect(terminal.lines().join('\n')).not.toContain('> water the fern');
  // From there to the other one, by its text.
  await say(terminal, '/resume nothing-like-it', 'No other sessions in this folder match "nothing-like-it"');
  terminal.type('/resume');
  terminal.press('enter');
  await terminal.untilSeen('Resume a session');
  await terminal.untilSeen('water the fern');
  terminal.press('enter');
  await terminal.until('> water the fern');
  await untilOpen(terminal);
  await say(terminal, 'more', 'ANSWERED.');
});

test('TU-25: Esc in the picker of --resume exits; without sessions it is empty', async () => {
  const stage = await setTerminalStage([{ reply: 'ANSWERED.' }]);
  const terminal = stage.open(['--resume']);
  await terminal.untilSeen('  empty');
  terminal.press('esc');
  expect(await terminal.ended).toBe(0);
});

test('TU-25: a session open in another process, and a damaged one, are reported, and nothing is lost', async () => {
  const stage = await setTerminalStage([{ reply: 'ANSWERED.' }]);
  const first = stage.open();
  await untilOpen(first);
  await say(first, 'keep me', 'ANSWERED.');
  const second = stage.open(['--continue']);
  expect(await second.ended).not.toBe(0);
  expect(second.lines().join('\n')).toMatch(/is open in another process/);
  await leave(first);
  const [path = ''] = await transcripts(stage);
  const text = await readFile(path, 'utf8');
  const lines = text.split('\n');
  const broken = [...lines.slice(0, -3), 'not a record of ours', ...lines.slice(-3)].join('\n');
  await writeFile(path, broken);
  const third = stage.open(['--resume']);
  await third.untilSeen('keep me');
  third.press('enter');
  await third.until('Skipped 1 damaged line of the transcript');
  await untilOpen(third);
  expect(count(third.lines(), '> keep me')).toBe(1);
  expect(await readFile(path, 'utf8')).toContain('not a record of ours');
  await say(third, 'and more', 'ANSWERED.');
});

test('TU-25: a conversation of 10,000 lines: its end is shown, the rest is a key away, and it opens', async () => {
  const long = Array.from({ length: 2_500 }, (_, index) => `- line ${index}`).join('\n');
  const stage = await setTerminalStage([{ reply: long }]);
  const first = stage.open([], { rows: 30 });
  await untilOpen(first);
  for (let time = 1; time <= 4; time += 1) {
    first.type(`prompt ${time}`);
    first.press('enter');
    await first.until(() => count(first.lines(), 'line 2499') === time, `reply ${time}`);
  }
  await leave(first);
  const second = stage.open(['--continue'], { rows: 30 });
  await untilOpen(second);
  await second.until('line 2499');
  const lines = second.lines();
  expect(count(lines, 'line 2499')).toBe(1);
  expect(lines.length).toBeLessThan(150);
  expect(lines.join('\n')).toContain('… earlier: ctrl+o');
  second.type('still quick');
  await untilEdited(second, 'still quick');
});
