/** An agent opened at the terminal: its transcript, searched, copied, in a pager; taken over and handed back. */

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { agentCall } from '../../../support/agent-call.js';
import { gate } from '../../../support/gate.js';
import { setTerminalStage } from '../terminal-stage.js';
import { untilOpen } from '../until-open.js';
import { choose, fork, openReady, pressChoice, screen, send } from './tree-steps.js';

const LINES = Array.from({ length: 80 }, (_, at) => `line ${at + 1} of the report`).join('\n\n');

it('TU-9: the whole transcript of an agent: search, copy, pager, also after a resume', async () => {
  const stage = await setTerminalStage([
    { when: { user: 'task-notification' }, reply: 'heard of it' },
    { when: { said: 'REPORT-PART' }, reply: LINES.replace('line 7 of', 'line 7 NEEDLE of') },
    { when: { result: { tool: 'Agent' } }, reply: 'it is at work' },
    { when: { user: 'begin' }, reply: [fork('REPORT-PART', { name: 'kid', description: 'the report' })] },
  ]);
  const pager = await stage.write('pager.sh', `cp "$1" ${join(stage.folder, 'paged.txt')}\n`);
  const env = { PAGER: `sh ${pager}`, SSH_CONNECTION: '1 2 3 4', SSH_TTY: '/dev/pts/1' };
  const look = async (args: readonly string[]) => {
    const terminal = stage.open(args, { env });
    await untilOpen(terminal);
    if (args.length === 0) send(terminal, 'begin');
    await terminal.until('heard of it');
    await terminal.untilSeen('agents 1 · 1 done');
    terminal.press('down');
    await choose(terminal, 'kid');
    terminal.press('enter');
    await terminal.untilSeen('line 80 of the report');
    await terminal.untilSeen(/^kid · fork · claude-\S+ · \$\d/m);
    expect(screen(terminal)).not.toContain('NEEDLE');
    send(terminal, '/NEEDLE');
    await terminal.untilSeen('line 7 NEEDLE of the report');
    return terminal;
  };
  const terminal = await look([]);
  terminal.press('c');
  await terminal.untilSeen(/sent/);
  expect(terminal.raw()).toContain('\u001b]52;c;');
  expect(screen(terminal)).not.toContain('copied');
  terminal.press('v');
  await terminal.until(() => existsSync(join(stage.folder, 'paged.txt')), 'the pager has it');
  await terminal.untilSeen('line 7 NEEDLE of the report');
  expect(await readFile(join(stage.folder, 'paged.txt'), 'utf8')).toContain('line 80 of the report');
  terminal.press('q');
  await terminal.untilSeen(/^›/m);
  terminal.press('esc');
  await terminal.untilGone(/^›/m);
  terminal.press('ctrl+d');
  await terminal.ended;
  await look(['--continue']);
});

it('TU-11, LC-25: `t` takes a child over: it answers the user and waits; `t` hands it back, and its parent is notified', async () => {
  const held = gate();
  let asked = 0;
  const stage = await setTerminalStage([
    { when: { user: 'task-notification' }, reply: 'heard of it' },
    {
      when: { said: 'KID-PART' },
      reply: async () => {
        asked += 1;
        const turn = asked;
        if (turn === 1) await held.opened;
        return `reply ${turn} of the child`;
      },
    },
    { when: { result: { tool: 'Agent' } }, reply: 'main goes on' },
    { when: { user: 'begin' }, reply: [agentCall('KID-PART', { name: 'kid', subagent_type: 'fork' })] },
    { reply: 'heard' },
  ]);
  const terminal = await openReady(stage);
  send(terminal, 'begin');
  await terminal.until(() => asked === 1, 'the child is at work');
  terminal.press('ctrl+t');
  await choose(terminal, 'kid');
  terminal.press('enter');
  await terminal.untilSeen('t take over');
  terminal.press('t');
  await terminal.untilSeen('You have taken over: it pauses for you after each turn');
  await terminal.untilSeen('t hand back');
  held.open();
  await terminal.untilSeen('reply 1 of the child');
  terminal.press('m');
  await terminal.untilSeen('enter send');
  send(terminal, 'AND IN BLUE');
  await terminal.untilSeen('reply 2 of the child');
  terminal.press('esc');
  await terminal.untilSeen('t hand back');
  terminal.press('esc');
  await terminal.until('main goes on');
  await terminal.untilSeen(/kid .*· taken over · waiting for you/);
  terminal.press('enter');
  await terminal.untilSeen('t hand back');
  terminal.press('t');
  await terminal.untilSeen('reply 3 of the child');
  terminal.press('esc');
  await terminal.until('heard of it');
  await terminal.untilSeen(/✓ kid/);
  const told = JSON.stringify(stage.sim.requests.at(-1)?.body);
  expect(told).toContain('talks to the agent');
  expect(told).toContain('reply 3 of the child');
});

it('TU-12, TU-9: an agent’s question is answered on its page', async () => {
  const stage = await setTerminalStage([
    { when: { user: 'task-notification' }, reply: 'heard of it' },
    { when: { said: 'ASK-PART', result: { tool: 'Bash' } }, reply: 'it is made' },
    { when: { said: 'ASK-PART' }, reply: [{ tool: 'Bash', input: { command: 'touch made' } }] },
    { when: { result: { tool: 'Agent' } }, reply: 'it is at work' },
    { when: { user: 'begin' }, reply: [fork('ASK-PART', { name: 'kid' })] },
  ]);
  const terminal = await openReady(stage);
  send(terminal, 'begin');
  await terminal.untilSeen('1 once');
  terminal.press('ctrl+t');
  await choose(terminal, 'kid');
  terminal.press('enter');
  await terminal.untilSeen('m write');
  await terminal.untilSeen('1 once');
  await pressChoice(terminal, '1');
  await terminal.untilSeen('it is made');
  expect(existsSync(join(stage.folder, 'made'))).toBe(true);
});
