/** `/fork`, `/branch`, `/btw`, `/exit` at a real terminal (FK-24, TU-21). */

import { expect, test } from 'vitest';
import { until } from '../../../support/until.js';
import { count, setTerminalStage, type TestTerminal } from '../terminal-stage.js';
import { untilEdited, untilOpen } from '../until-open.js';

async function say(terminal: TestTerminal, words: string, reply: string | RegExp): Promise<void> {
  terminal.type(words);
  terminal.press('enter');
  await terminal.until(reply);
}

test('FK-24: /fork during a turn starts in parallel; its result arrives as a notice', async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const stage = await setTerminalStage([
    { when: { user: 'task-notification' }, reply: 'NOTED.' },
    { when: { said: 'TRY A QUEUE' }, reply: 'QUEUE TRIED.' },
    { when: { user: 'first' }, reply: 'ONE.' },
    {
      when: { user: 'second' },
      reply: async () => {
        await held;
        return 'TWO.';
      },
      times: 1,
    },
    { reply: 'NOTED.' },
  ]);
  const terminal = stage.open(['--permission-mode', 'acceptEdits']);
  await untilOpen(terminal);
  await say(terminal, 'first', 'ONE.');
  terminal.type('second');
  terminal.press('enter');
  await until(() => stage.sim.requests.length === 2, 'it works');
  await say(terminal, '/fork TRY A QUEUE', 'Forked as');
  await until(
    () => stage.sim.requests.some(({ body }) => JSON.stringify(body.messages).includes('TRY A QUEUE')),
    'the fork works',
  );
  expect(terminal.lines().join('\n')).not.toContain('TWO.');
  release();
  await terminal.until('TWO.');
  await terminal.until('NOTED.');
});

test('FK-24: /branch continues in a copy; the original session is unchanged', async () => {
  const stage = await setTerminalStage([{ reply: 'ANSWERED.' }]);
  const terminal = stage.open();
  await untilOpen(terminal);
  await say(terminal, 'before', 'ANSWERED.');
  await say(terminal, '/branch other way', /is unchanged: coppice --resume/);
  await terminal.until('Resumed session');
  await untilOpen(terminal);
  await untilEdited(terminal, '');
  terminal.type('only in the copy');
  terminal.press('enter');
  await until(() => stage.sim.requests.length === 2, 'it is asked');
  expect(JSON.stringify(stage.sim.requests[1]?.body.messages)).toContain('before');
  await say(terminal, '/status', 'Session other-way in');
});

test('TU-21: /btw shows an answer and leaves the conversation unchanged', async () => {
  const stage = await setTerminalStage([
    { when: { user: 'WHICH FILE' }, reply: 'It is routes.ts.' },
    { reply: 'ANSWERED.' },
  ]);
  const terminal = stage.open();
  await untilOpen(terminal);
  await say(terminal, 'hello', 'ANSWERED.');
  await say(terminal, '/btw WHICH FILE has them?', 'It is routes.ts.');
  await terminal.until('not part of the conversation');
  await untilEdited(terminal, '');
  terminal.type('more');
  terminal.press('enter');
  await terminal.until(() => count(terminal.lines(), 'ANSWERED.') === 2, 'the next reply');
  expect(JSON.stringify(stage.sim.requests.at(-1)?.body.messages)).not.toContain('WHICH FILE');
});

test('TU-21: /exit and Ctrl+D ask while agents run; a draft goes to the history', async () => {
  const stage = await setTerminalStage([
    { when: { said: 'WAIT LONG' }, reply: [{ tool: 'Bash', input: { command: 'sleep 300' } }] },
    { reply: 'ANSWERED.' },
  ]);
  const terminal = stage.open(['--permission-mode', 'bypassPermissions']);
  await untilOpen(terminal);
  await say(terminal, 'hello', 'ANSWERED.');
  await say(terminal, '/fork WAIT LONG', 'Forked as');
  await terminal.untilSeen(/Bash.*sleep 300/);
  await say(terminal, '/exit', 'Leave? (y/n)');
  terminal.type('n');
  terminal.press('enter');
  await terminal.until('Not leaving.');
  terminal.press('ctrl+d');
  await terminal.untilSeen('again to exit: 1 running task will be interrupted');
  terminal.type('x');
  terminal.press('backspace');
  await untilEdited(terminal, '');
  terminal.type('/exit');
  terminal.press('enter');
  await terminal.until(() => count(terminal.lines(), 'Leave? (y/n)') === 2, 'it is asked again');
  terminal.type('y');
  terminal.press('enter');
  expect(await terminal.ended).toBe(0);
  expect(terminal.lines().join('\n')).toContain('Interrupted; you can resume them there');
});
