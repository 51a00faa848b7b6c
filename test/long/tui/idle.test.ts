import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { setTerminalStage } from '../../program/tui/terminal-stage.js';
import { agentCall } from '../../support/agent-call.js';

it('TU-32: running agents cost a few hundred bytes a tick, however many they are', async () => {
  const stage = await setTerminalStage([
    { when: { said: 'task of a child' }, reply: 'done', delay: { firstMs: 60_000 } },
    {
      when: { nth: 1 },
      reply: Array.from({ length: 20 }, () => agentCall('the task of a child', { run_in_background: true })),
    },
    { reply: 'They work.' },
  ]);
  const terminal = stage.open(['--permission-mode', 'acceptEdits']);
  await terminal.untilSeen('? keys');
  terminal.type('go');
  terminal.press('enter');
  await terminal.untilSeen('They work.');
  await terminal.untilSeen(/agents 20/);
  await pause(500);
  const before = terminal.raw().length;
  await pause(2_000);
  // Their times change once a second: seven rows and the head.
  expect(terminal.raw().length - before).toBeLessThan(12_000);
});
