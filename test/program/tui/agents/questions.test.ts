/** Questions of agents at the terminal: the requester, the answers, and that typing never answers. */

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Rule } from '../../../../src/sim/index.js';
import { makeRepository } from '../../../support/worktrees.js';
import { count, setTerminalStage, type TerminalStage } from '../terminal-stage.js';
import { untilOpen } from '../until-open.js';
import { fork, openReady, pressChoice, screen, send } from './tree-steps.js';

const bash = (command: string) => ({ tool: 'Bash', input: { command } });

/** Asks one question, and reports the outcome. */
const asking = (word: string, command: string): Rule[] => [
  { when: { said: word, result: { tool: 'Bash', error: true } }, reply: 'refused: {{result}}' },
  { when: { said: word, result: { tool: 'Bash' } }, reply: `${word} ran it` },
  { when: { said: word }, reply: [bash(command)] },
];

it('TU-12, TU-13: a fork in a worktree asks; Esc sets it aside, Tab shows it; a destructive call needs Enter', async () => {
  const stage = await setTerminalStage([
    ...asking('PUSH-PART', 'git push --force origin api'),
    { when: { user: 'task-notification' }, reply: 'heard of it' },
    { when: { result: { tool: 'Agent' } }, reply: 'it is at work' },
    {
      when: { user: 'begin' },
      reply: [fork('PUSH-PART', { name: 'pusher', description: 'push it', isolation: 'worktree' })],
    },
  ]);
  await makeRepository(stage.folder, { 'a.txt': 'one\n' });
  const terminal = await openReady(stage);
  send(terminal, 'begin');
  await terminal.untilSeen('1 once');
  await terminal.untilSeen(/pusher \(fork, worktree agent-\w+\) asks/);
  await terminal.untilSeen('git push --force origin api');
  await terminal.untilSeen(/! rewrites or deletes what is on the server/);
  await terminal.untilSeen(/\? pusher push it · asks Bash/);
  terminal.press('esc');
  await terminal.untilGone('1 once');
  await terminal.untilSeen(/\? pusher push it · asks Bash/);
  await terminal.untilSeen('1 question');
  terminal.press('tab');
  await terminal.untilSeen('1 once');
  // Nothing is highlighted for a destructive call.
  await pressChoice(terminal, 'enter');
  await pressChoice(terminal, '1');
  await terminal.untilSeen('enter confirm');
  await pressChoice(terminal, '3');
  await terminal.untilSeen('enter sends the no');
  send(terminal, 'not on a Friday');
  await terminal.untilGone('git push --force origin api');
  await terminal.until(() => resultsOf(stage).includes('not on a Friday'), 'the model has the reason');
  await terminal.until('heard of it');
  expect(stage.sim.unmatched).toEqual([]);
});

it('TU-12: once, always for the session, always in the local settings: each by exactly the rule that is shown', async () => {
  const steps = ['touch one', 'touch two', 'touch two', 'touch three'];
  const stage = await setTerminalStage([
    ...steps.map((command, at): Rule => ({ when: { nth: at + 1 }, reply: [bash(command)] })),
    { reply: 'all is done' },
  ]);
  const terminal = await openReady(stage);
  send(terminal, 'begin');
  await terminal.untilSeen('Bash  touch one');
  await pressChoice(terminal, 'y');
  await terminal.untilSeen('Bash  touch two');
  await terminal.untilSeen('2 always Bash(touch two)');
  await pressChoice(terminal, '2');
  // The rule allows the second one.
  await terminal.untilSeen('Bash  touch three');
  await terminal.untilSeen('l the same in local settings');
  await pressChoice(terminal, 'l');
  await terminal.until('all is done');
  expect(existsSync(join(stage.folder, 'two'))).toBe(true);
  const local = JSON.parse(await readFile(join(stage.folder, '.claude/settings.local.json'), 'utf8'));
  expect(local.permissions.allow).toEqual(['Bash(touch three)']);
});

it('TU-14: three forks ask the same: one question with every requester; `s` is for the first, the answer for those listed', async () => {
  const parts = ['ONE-PART', 'TWO-PART', 'THREE-PART'];
  const stage = await setTerminalStage([
    { when: { user: 'task-notification' }, reply: 'heard of it' },
    ...parts.flatMap((part) => asking(part, 'touch made')),
    { when: { result: { tool: 'Agent' } }, reply: 'they are at work' },
    { when: { user: 'begin' }, reply: parts.map((part, at) => fork(part, { name: `kid-${at + 1}` })) },
  ]);
  const terminal = await openReady(stage);
  send(terminal, 'begin');
  await terminal.untilSeen(/kid-\d.* asks?; so do kid-\d, kid-\d/);
  await terminal.untilSeen(/agents 3 · 3 asking/);
  await terminal.untilSeen(/\? kid-\d .*\(\+ kid-\d, kid-\d\)/);
  await terminal.untilSeen('s only kid-');
  await pressChoice(terminal, 's');
  await terminal.untilSeen('s all 3');
  await pressChoice(terminal, '1');
  await terminal.untilSeen(/kid-\d.* asks?; so does kid-\d/);
  await terminal.untilSeen(/· 2 ask/);
  await pressChoice(terminal, '1');
  await terminal.untilSeen(/agents 3 · 3 done/);
  await terminal.untilGone('once');
  expect(stage.sim.requests.flatMap(({ results }) => results).filter(({ error }) => error)).toEqual([]);
});

it('TU-16: a plan is printed and stays; Esc and a no stay in plan mode, `1` continues with edits accepted', async () => {
  const plan = (text: string) => [{ tool: 'ExitPlanMode', input: { plan: text } }];
  const stage = await setTerminalStage([
    {
      when: { result: { tool: 'ExitPlanMode', text: 'and write a test' } },
      reply: plan('# The second plan\n\n1. mend it\n2. write a test'),
    },
    { when: { result: { tool: 'Write' } }, reply: 'it is mended' },
    {
      when: { result: { tool: 'ExitPlanMode' } },
      reply: [{ tool: 'Write', input: { file_path: 'mended.txt', content: 'yes' } }],
    },
    { when: { user: 'begin' }, reply: plan('# The first plan\n\n1. mend it') },
  ]);
  const terminal = await openReady(stage, '--permission-mode', 'plan');
  send(terminal, 'begin');
  await terminal.untilSeen('The first plan');
  await terminal.untilSeen('1 Yes, auto-accept edits · ›2 Yes, ask for each edit · 3 No, revise the plan…');
  expect(screen(terminal)).not.toMatch(/bypass/i);
  terminal.press('esc');
  await terminal.untilGone('Yes, auto-accept edits');
  await terminal.untilSeen(/· plan ·/);
  terminal.press('tab');
  await terminal.untilSeen('Yes, auto-accept edits');
  await pressChoice(terminal, '3');
  await terminal.untilSeen('what to revise:');
  send(terminal, 'and write a test');
  await terminal.untilSeen('The second plan');
  await terminal.untilSeen(/· plan ·/);
  await terminal.untilSeen('Yes, auto-accept edits');
  await pressChoice(terminal, '1');
  await terminal.until('it is mended');
  await terminal.untilSeen('· acceptEdits ·');
  expect(count(terminal.lines(), 'The first plan')).toBe(1);
  expect(count(terminal.lines(), 'The second plan')).toBe(1);
  expect(existsSync(join(stage.folder, 'mended.txt'))).toBe(true);
});

it('TU-16: the plan is edited in $EDITOR (Ctrl+G), and the edited version is accepted', async () => {
  const stage = await setTerminalStage([
    { when: { result: { tool: 'ExitPlanMode' } }, reply: 'as you say' },
    { when: { user: 'begin' }, reply: [{ tool: 'ExitPlanMode', input: { plan: '1. mend it' } }] },
  ]);
  const editor = await stage.write('editor.sh', 'printf "2. and paint it\\n" >> "$1"\n');
  const terminal = stage.open(['--permission-mode', 'plan'], { env: { EDITOR: `sh ${editor}` } });
  await untilOpen(terminal);
  send(terminal, 'begin');
  await terminal.untilSeen('ctrl+g Edit the plan');
  await pressChoice(terminal, 'ctrl+g');
  await terminal.untilSeen('with your changes');
  await terminal.untilSeen('2. and paint it');
  await pressChoice(terminal, '2');
  await terminal.until('as you say');
  expect(resultsOf(stage)).toContain('2. and paint it');
  await terminal.untilSeen('· default ·');
});

it('TU-12: questions of the model are answered with an option, and with a free answer', async () => {
  const option = (label: string) => ({ label, description: `${label} it is` });
  const questions = [
    { question: 'Which colour?', header: 'Colour', multiSelect: false, options: [option('Red'), option('Blue')] },
    { question: 'Which size?', header: 'Size', multiSelect: false, options: [option('Small'), option('Large')] },
  ];
  const stage = await setTerminalStage([
    { when: { result: { tool: 'AskUserQuestion' } }, reply: 'as you wish' },
    { when: { user: 'begin' }, reply: [{ tool: 'AskUserQuestion', input: { questions } }] },
  ]);
  const terminal = await openReady(stage);
  send(terminal, 'begin');
  await terminal.untilSeen('Which colour?');
  await pressChoice(terminal, '2');
  await terminal.untilSeen('Which size?');
  await pressChoice(terminal, 'o');
  await terminal.untilSeen('your answer:');
  send(terminal, 'as large as a house');
  await terminal.until('as you wish');
  expect(resultsOf(stage)).toMatch(/Blue[\s\S]*as large as a house/);
});

/** The answers of tools and the user, as the model saw them last. */
function resultsOf({ sim }: TerminalStage): string {
  return sim.requests.flatMap(({ results }) => results.map(({ text }) => text)).join('\n');
}
