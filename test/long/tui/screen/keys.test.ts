/** The person's own keys, and hints that show them as they are pressed (TU-17). */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { count, setTerminalStage, type TerminalStage } from '../../../program/tui/terminal-stage.js';
import { agentCall } from '../../../support/agent-call.js';

async function bind(stage: TerminalStage, content: string): Promise<void> {
  await mkdir(join(stage.home, '.claude'), { recursive: true });
  await writeFile(join(stage.home, '.claude', 'keybindings.json'), content);
}

test('TU-17: keybindings.json counts; each unknown action is one line, the others count', async () => {
  const stage = await setTerminalStage([{ reply: 'Hello from the model.' }]);
  const bindings = [
    { context: 'Chat', bindings: { 'ctrl+y': 'chat:submit', 'ctrl+q': 'chat:danceNow', f5: 'chat:other' } },
    { context: 'Transcript', bindings: { f2: 'page:close' } },
  ];
  await bind(stage, JSON.stringify({ bindings }));
  const terminal = stage.open();
  await terminal.until('? keys');
  await terminal.until('unknown action "chat:danceNow" for "ctrl+q" (ignored)');
  await terminal.until('unknown action "chat:other" for "f5" (ignored)');
  terminal.type('say hello');
  await terminal.untilSeen('> say hello');
  terminal.press('ctrl+y');
  await terminal.until('Hello from the model.');
  expect(count(terminal.lines(), 'unknown action')).toBe(2);
  terminal.press('?');
  await terminal.untilSeen('Prompt');
  await terminal.untilSeen(/ctrl\+y, enter +\S/);
  terminal.type('\u001bOQ');
  await terminal.untilGone('Prompt');
  terminal.press('ctrl+d');
  expect(await terminal.ended).toBe(0);
});

test('TU-17: a file that is no JSON is one line, and the default keys count', async () => {
  const stage = await setTerminalStage([{ reply: 'Hello from the model.' }]);
  await bind(stage, '{ "bindings": [');
  const terminal = stage.open();
  await terminal.until('keybindings.json is not valid JSON. Using the default keys.');
  terminal.type('say hello\r');
  await terminal.until('Hello from the model.');
});

test('TU-17: a hint shows the key that you bound', async () => {
  const stage = await setTerminalStage([
    { when: { said: 'CHILD' }, reply: 'done', delay: { firstMs: 60_000 } },
    { when: { user: 'start' }, reply: [agentCall('CHILD: wait', { description: 'waits' })] },
  ]);
  await bind(stage, JSON.stringify({ bindings: [{ context: 'Task', bindings: { f6: 'task:background' } }] }));
  const terminal = stage.open(['--permission-mode', 'acceptEdits']);
  await terminal.until('? keys');
  terminal.type('start\r');
  await terminal.untilSeen(/agents? 1/);
  terminal.press('esc');
  await terminal.untilSeen('esc again to interrupt 1 agent · ctrl+b background');
  // Within a draft that key moves the cursor.
  terminal.type('a draft');
  await terminal.untilSeen('> a draft');
  await terminal.untilGone('again to interrupt');
  terminal.press('esc');
  await terminal.untilSeen('esc again to interrupt 1 agent · f6 background');
});
