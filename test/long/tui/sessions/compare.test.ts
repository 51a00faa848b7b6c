/** `/compare` at a real terminal: agents side by side, and one of them applied (TU-31). */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { setTerminalStage, type TerminalStage } from '../../../program/tui/terminal-stage.js';
import { untilOpen } from '../../../program/tui/until-open.js';
import { agentCall } from '../../../support/agent-call.js';
import { until } from '../../../support/until.js';

const run = promisify(execFile);

async function setCompareStage(): Promise<TerminalStage> {
  const child = (task: string, colour: string) => [
    { when: { said: task, result: { tool: 'Bash' } }, reply: `MADE ${colour}.` },
    {
      when: { said: task },
      reply: [
        {
          tool: 'Bash',
          input: { command: `echo ${colour} paint > paint.txt; echo ${colour} notes > ${colour}.txt` },
        },
      ],
    },
  ];
  const stage = await setTerminalStage([
    ...child('PAINT IT RED', 'red'),
    ...child('PAINT IT BLUE', 'blue'),
    {
      when: { nth: 1 },
      reply: [
        agentCall('PAINT IT RED', { name: 'red', description: 'paint red', isolation: 'worktree' }),
        agentCall('PAINT IT BLUE', { name: 'blue', description: 'paint blue', isolation: 'worktree' }),
      ],
    },
    { reply: 'BOTH DONE.' },
  ]);
  const git = (...args: string[]) => run('git', args, { cwd: stage.folder, env: { ...process.env, ...stage.env } });
  await git('init', '-q');
  await git('config', 'user.email', 'person@example.com');
  await git('config', 'user.name', 'Person');
  await stage.write('paint.txt', 'no paint\n');
  await git('add', '.');
  await git('commit', '-qm', 'first');
  return stage;
}

async function openCompared(stage: TerminalStage, columns: number) {
  const terminal = stage.open(['--permission-mode', 'bypassPermissions'], { columns, rows: 40 });
  await untilOpen(terminal);
  terminal.type('paint');
  terminal.press('enter');
  await terminal.until('BOTH DONE.');
  terminal.type('/compare red blue');
  terminal.press('enter');
  await terminal.untilSeen('2 agents compared');
  return terminal;
}

test('TU-31: in a wide window results and differences are side by side; a number applies one', async () => {
  const stage = await setCompareStage();
  const terminal = await openCompared(stage, 140);
  const rows = terminal.rows();
  const text = rows.join('\n');
  expect(text).toMatch(/^1 red \(.*│ 2 blue \(/m);
  expect(text).toMatch(/MADE red\. +│ +MADE blue\./);
  expect(text).toMatch(/\$\d.*│.*\$\d/);
  expect(text).toMatch(/Changed by several\n +paint\.txt: red \(.*\), blue \(/);
  expect(text).toMatch(/\+red paint +│ \+blue paint/);
  expect(text).toContain('2 apply');
  terminal.press('2');
  await until(async () => (await stage.read('paint.txt').catch(() => '')) === 'blue paint\n', 'the work is here');
  await terminal.untilSeen('? keys');
});

test('TU-31: in a narrow window they follow each other; A asks which one is applied', async () => {
  const stage = await setCompareStage();
  const terminal = await openCompared(stage, 90);
  const text = terminal.rows().join('\n');
  expect(text).not.toContain('│');
  expect(text.indexOf('1 red')).toBeLessThan(text.indexOf('2 blue'));
  terminal.press('A');
  await terminal.untilSeen('Apply whose work?');
  terminal.type('red');
  await terminal.untilSeen('1 of 2');
  terminal.press('enter');
  await until(async () => (await stage.read('paint.txt').catch(() => '')) === 'red paint\n', 'the work is here');
  await terminal.untilSeen('? keys');
});

test('TU-31: with nothing to compare, or an unknown name, a line reports it', async () => {
  const stage = await setTerminalStage([]);
  const terminal = stage.open();
  await untilOpen(terminal);
  terminal.type('/compare');
  terminal.press('enter');
  await terminal.until('No agents to compare yet.');
  terminal.type('/compare nobody');
  terminal.press('enter');
  await terminal.until('Unknown agent nobody. /tasks all lists all agents.');
});
