/** Completion at a real terminal: commands, skills, files, folders, agents (TU-20); unknown names (TU-21). */

import { expect, test } from 'vitest';
import { agentCall } from '../../../support/agent-call.js';
import { setTerminalStage } from '../terminal-stage.js';
import { untilOpen } from '../until-open.js';

const told = (stage: { sim: { requests: readonly { body: { messages: readonly unknown[] } }[] } }, at = 0) =>
  JSON.stringify(stage.sim.requests[at]?.body.messages.at(-1));

test('TU-20: commands, skills and user commands are completed; Enter sends the typed text unless a row was chosen', async () => {
  const stage = await setTerminalStage([{ reply: 'ANSWERED.' }]);
  await stage.write('../home/.claude/skills/shipping/SKILL.md', '---\ndescription: ships it\n---\nSHIP $ARGUMENTS\n');
  await stage.write('../home/.claude/commands/greet.md', '---\ndescription: greets\n---\nGREET $ARGUMENTS\n');
  const terminal = stage.open();
  await untilOpen(terminal);
  terminal.type('/stat');
  await terminal.untilSeen(/\/status\s+show session/);
  // Nothing was chosen: the name is not completed, and it is unknown.
  terminal.press('enter');
  await terminal.until('Unknown command /stat');
  await terminal.until('/status');
  terminal.type('/stat');
  await terminal.untilSeen(/\/status\s+show session/);
  terminal.press('down');
  await terminal.untilSeen(/› \/status/);
  terminal.press('enter');
  await terminal.until('agents: none');
  terminal.type('/ship');
  await terminal.untilSeen(/\/shipping\s+ships it/);
  terminal.press('tab');
  await terminal.untilSeen('> /shipping');
  terminal.press('ctrl+u');
  terminal.type('/gre');
  await terminal.untilSeen(/\/greet\s+greets/);
  terminal.press('tab');
  terminal.type(' Ada');
  terminal.press('enter');
  await terminal.until('ANSWERED.');
  expect(stage.sim.requests).toHaveLength(1);
  expect(told(stage)).toContain('GREET Ada');
});

test('TU-20: files with spaces and folders; Esc closes the menu and keeps the text', async () => {
  const stage = await setTerminalStage([{ reply: 'ANSWERED.' }]);
  await stage.write('src/deep/alpha.ts', 'export const alpha = 1;\n');
  await stage.write('my notes.md', 'NOTED\n');
  const terminal = stage.open();
  await untilOpen(terminal);
  terminal.type('look at @not');
  await terminal.untilSeen('@my notes.md');
  terminal.press('tab');
  await terminal.untilSeen('> look at @"my notes.md"');
  terminal.type('and @sr');
  await terminal.untilSeen('@src/');
  terminal.press('tab');
  await terminal.untilSeen('and @src/');
  terminal.type('alp');
  await terminal.untilSeen('@src/deep/alpha.ts');
  terminal.press('esc');
  await terminal.untilGone('@src/deep/alpha.ts');
  terminal.type('ha.t');
  terminal.press('backspace', 'backspace', 'backspace', 'backspace', 'backspace', 'backspace', 'backspace');
  terminal.type('deep/al');
  terminal.press('ctrl+w');
  terminal.type('@src/de');
  await terminal.untilSeen('@src/deep/alpha.ts');
  terminal.press('down', 'down');
  await terminal.untilSeen(/› @src\/deep\//);
  terminal.press('tab');
  await terminal.untilSeen(/and @src\/deep\//);
  terminal.press('ctrl+w', 'ctrl+w');
  terminal.press('enter');
  await terminal.until('ANSWERED.');
  expect(told(stage)).toContain('NOTED');
});

test('TU-20: @name at the beginning of a prompt writes to that agent', async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const stage = await setTerminalStage([
    { when: { said: 'STUDY THE MOSS', user: 'and the ferns' }, reply: 'FERNS TOO.' },
    {
      when: { said: 'STUDY THE MOSS' },
      reply: async () => {
        await held;
        return 'MOSS.';
      },
    },
    { when: { nth: 1 }, reply: [agentCall('STUDY THE MOSS', { name: 'botanist', run_in_background: true })] },
    { reply: 'STARTED.' },
  ]);
  const terminal = stage.open(['--permission-mode', 'acceptEdits']);
  await untilOpen(terminal);
  terminal.type('begin');
  terminal.press('enter');
  await terminal.until('STARTED.');
  terminal.type('@bot');
  await terminal.untilSeen(/@botanist\s+agent/);
  terminal.press('tab');
  terminal.type('and the ferns');
  await terminal.untilSeen('> @botanist and the ferns');
  terminal.press('enter');
  await terminal.until('to botanist: and the ferns');
  release();
  await terminal.until(
    () => stage.sim.requests.some(({ body }) => JSON.stringify(body.messages.at(-1)).includes('and the ferns')),
    'the agent read it',
  );
  const main = stage.sim.requests.filter(({ body }) => !JSON.stringify(body.messages).includes('STUDY THE MOSS'));
  expect(JSON.stringify(main.map(({ body }) => body.messages))).not.toContain('and the ferns');
  terminal.type('ask @bot');
  await terminal.untilSeen('> ask @bot');
  expect(terminal.rows().join('\n')).not.toMatch(/@botanist\s+agent/);
});

test('TU-21: an unknown name lists the nearest ones and sends nothing; a path is a sentence', async () => {
  const stage = await setTerminalStage([{ reply: 'ANSWERED.' }]);
  await stage.write('../home/.claude/skills/deploy/SKILL.md', '---\ndescription: deploys\n---\nDEPLOY\n');
  const terminal = stage.open();
  await untilOpen(terminal);
  terminal.type('/deplyo now');
  terminal.press('enter');
  await terminal.until('Did you mean /deploy');
  terminal.type('/hepl');
  terminal.press('enter');
  await terminal.until('Did you mean /help');
  expect(stage.sim.requests).toHaveLength(0);
  terminal.press('up');
  await terminal.untilSeen('> /hepl');
  terminal.press('ctrl+u');
  terminal.type('/tmp is full');
  terminal.press('enter');
  await terminal.until('ANSWERED.');
  expect(told(stage)).toContain('/tmp is full');
});
