/** Rewinding at a real terminal: prompts with what followed, the difference first, running agents (TU-24, DU-23). */

import { expect, test } from 'vitest';
import { agentCall } from '../../../support/agent-call.js';
import { count, setTerminalStage, type TestTerminal } from '../terminal-stage.js';
import { untilEdited, untilOpen } from '../until-open.js';

const RULES = [
  {
    when: { user: 'MAKE IT' },
    reply: [{ tool: 'Write', input: { file_path: 'made.txt', content: 'one\n' } }],
    times: 1,
  },
  { when: { nth: 2, result: { tool: 'Write' } }, reply: 'MADE.' },
  {
    when: { user: 'CHANGE IT' },
    reply: [{ tool: 'Edit', input: { file_path: 'made.txt', old_string: 'one', new_string: 'two' } }],
    times: 1,
  },
  { when: { result: { tool: 'Edit' } }, reply: 'CHANGED.' },
  { reply: 'ANSWERED.' },
];

async function say(terminal: TestTerminal, words: string, reply: string | RegExp): Promise<void> {
  terminal.type(words);
  terminal.press('enter');
  await terminal.until(reply);
}

async function openMade() {
  const stage = await setTerminalStage(RULES);
  const terminal = stage.open(['--permission-mode', 'bypassPermissions']);
  await untilOpen(terminal);
  await say(terminal, 'MAKE IT', 'MADE.');
  await say(terminal, 'CHANGE IT', 'CHANGED.');
  expect(await stage.read('made.txt')).toBe('two\n');
  return { stage, terminal };
}

test('TU-24 DU-23: Esc twice lists prompts with age and files; the difference comes first; both are restored, and the prompt is in the editor', async () => {
  const { stage, terminal } = await openMade();
  terminal.press('esc');
  await terminal.untilSeen('again to rewind to an earlier prompt');
  terminal.press('esc');
  await terminal.untilSeen('Rewind to before which prompt?');
  await terminal.untilSeen(/› CHANGE IT · .* · 1 file since/);
  await terminal.untilSeen(/MAKE IT · .* · 1 file since/);
  terminal.press('space');
  await terminal.untilSeen('-two');
  terminal.press('enter');
  await terminal.untilSeen('Restore: 1 conversation and files');
  terminal.type('both');
  terminal.press('enter');
  await terminal.until('+one');
  await terminal.until('This changes 1 file (+1 −1). Rewind? (y/n)');
  terminal.type('y');
  terminal.press('enter');
  await terminal.until(/Rewound|goes on before|is as it was/i);
  await untilEdited(terminal, 'CHANGE IT');
  expect(await stage.read('made.txt')).toBe('one\n');
  terminal.press('enter');
  await terminal.until('ANSWERED.');
  expect(JSON.stringify(stage.sim.requests.at(-1)?.body.messages)).not.toContain('CHANGED.');
});

test('TU-24: the conversation alone, files alone; no is no, and a wrong argument lists the choices', async () => {
  const { stage, terminal } = await openMade();
  await say(terminal, '/rewind 9', 'No prompt 9: choose 1 to');
  await say(terminal, '/rewind 2 nonsense', '"nonsense" is not one of both, conversation, files');
  terminal.type('/rewind 2');
  terminal.press('enter');
  await terminal.untilSeen('Restore: 1 conversation and files');
  terminal.press('esc');
  await untilEdited(terminal, '');
  await terminal.until(() => count(terminal.lines(), 'Nothing was changed.') === 2, 'it stays');
  expect(await stage.read('made.txt')).toBe('two\n');
  await say(terminal, '/rewind 2 files', /made\.txt/);
  await terminal.until(() => terminal.lines().some((line) => /Rewound|was there/.test(line)), 'files are back');
  expect(await stage.read('made.txt')).toBe('one\n');
  await say(terminal, '/rewind 2 conversation', 'Rewound to before a prompt');
  await untilEdited(terminal, '');
  await say(terminal, 'and now', 'ANSWERED.');
  const told = JSON.stringify(stage.sim.requests.at(-1)?.body.messages);
  expect(told).toContain('MADE.');
  expect(told).not.toContain('CHANGE IT');
});

test('TU-24: agents that still run are asked about first', async () => {
  const stage = await setTerminalStage([
    { when: { said: 'STUDY MOSS' }, reply: [{ tool: 'Bash', input: { command: 'sleep 300' } }] },
    { when: { nth: 1 }, reply: [agentCall('STUDY MOSS', { name: 'botanist', run_in_background: true })] },
    { reply: 'STARTED.' },
  ]);
  const terminal = stage.open(['--permission-mode', 'bypassPermissions']);
  await untilOpen(terminal);
  await say(terminal, 'begin', 'STARTED.');
  await terminal.untilSeen(/botanist.*Bash/);
  terminal.type('/rewind');
  terminal.press('enter');
  await terminal.untilSeen(/› begin · .*1 agent since/);
  terminal.press('enter');
  await terminal.untilSeen('Restore: 1 conversation and files');
  terminal.type('c');
  terminal.press('enter');
  await terminal.until(/1 agent is running: botanist.*Stop and rewind\? \(y\/n\)/s);
  terminal.type('n');
  terminal.press('enter');
  await terminal.until('Nothing was changed.');
  await terminal.untilSeen(/botanist.*Bash/);
  terminal.type('/rewind 1 c');
  terminal.press('enter');
  await terminal.until(() => terminal.lines().join('\n').split('Stop and rewind?').length === 3, 'it is asked again');
  terminal.type('y');
  terminal.press('enter');
  await terminal.until('Rewound to before a prompt');
});
