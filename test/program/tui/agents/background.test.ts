/** Agents and commands move to the background, many are grouped, all are stopped; ends are batched. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { agentCall } from '../../../support/agent-call.js';
import { gate } from '../../../support/gate.js';
import { count, setTerminalStage } from '../terminal-stage.js';
import { choose, fork, openReady, send } from './tree-steps.js';

const never = () => new Promise<string>(() => {});

it('LC-3, TU-8: Ctrl+B moves an awaited child to the background, and so does `b` in the tree', async () => {
  for (const keys of [['ctrl+b'], ['ctrl+x', 'ctrl+b'], ['down', 'b']]) {
    const held = gate();
    const stage = await setTerminalStage([
      { when: { user: 'task-notification' }, reply: 'heard of it' },
      {
        when: { said: 'KID-PART' },
        reply: async () => {
          await held.opened;
          return 'the kid is done';
        },
      },
      { when: { result: { tool: 'Agent' } }, reply: 'main goes on' },
      { when: { user: 'begin' }, reply: [agentCall('KID-PART', { name: 'kid', subagent_type: 'fork' })] },
    ]);
    const terminal = await openReady(stage);
    send(terminal, 'begin');
    await terminal.until(() => stage.sim.requests.length === 2, 'the child is at work');
    await terminal.untilSeen(/● kid/);
    terminal.press(...keys);
    await terminal.until('main goes on');
    await terminal.untilSeen(/● kid/);
    held.open();
    await terminal.until('heard of it');
  }
});

it('LC-3: Ctrl+B moves a running command to the background, where it continues', async () => {
  const stage = await setTerminalStage([
    { when: { user: 'task-notification' }, reply: 'heard of it' },
    { when: { result: { tool: 'Bash' } }, reply: 'main goes on' },
    {
      when: { user: 'begin' },
      reply: [{ tool: 'Bash', input: { command: 'touch begun; until [ -e go ]; do sleep 0.1; done; touch ended' } }],
    },
  ]);
  const terminal = await openReady(stage, '--permission-mode', 'bypassPermissions');
  send(terminal, 'begin');
  await terminal.until(() => existsSync(join(stage.folder, 'begun')), 'the command runs');
  terminal.press('ctrl+b');
  await terminal.until('main goes on');
  await terminal.untilSeen(/touch begun.* · running/);
  await stage.write('go', '');
  await terminal.until(() => existsSync(join(stage.folder, 'ended')), 'it has ended');
  await terminal.until('heard of it');
});

it('TU-8: Ctrl+X Ctrl+K, twice, stops all background agents', async () => {
  const stage = await setTerminalStage([
    { when: { user: 'task-notification' }, reply: 'heard of it' },
    { when: { said: 'KID-PART' }, reply: never },
    { when: { result: { tool: 'Agent' } }, reply: 'they are at work' },
    { when: { user: 'begin' }, reply: [fork('KID-PART', { name: 'kid-1' }), fork('KID-PART', { name: 'kid-2' })] },
  ]);
  const terminal = await openReady(stage);
  send(terminal, 'begin');
  await terminal.untilSeen('agents 2 · 2 running');
  await terminal.until('they are at work');
  terminal.press('ctrl+x', 'ctrl+k');
  await terminal.untilSeen('ctrl+x ctrl+k again to stop 2 background agents');
  await terminal.untilSeen('agents 2 · 2 running');
  terminal.press('ctrl+x', 'ctrl+k');
  await terminal.untilSeen('agents 2 · 2 stopped');
});

it('TU-6, TU-5, TU-7: forty agents are a group, asking ones stay single; → opens it; ends are batched', async () => {
  const held = gate();
  const calls = Array.from({ length: 40 }, (_, at) => fork(`PART-${at}.`, { name: `kid-${at}` }));
  const stage = await setTerminalStage([
    { when: { user: 'task-notification' }, reply: 'heard of it' },
    { when: { user: 'PART-7.' }, reply: [{ tool: 'Bash', input: { command: 'touch made' } }] },
    {
      when: { said: 'PART-' },
      reply: async () => {
        await held.opened;
        return 'done with it';
      },
    },
    { when: { result: { tool: 'Agent' } }, reply: 'they are at work' },
    { when: { user: 'begin' }, reply: calls },
  ]);
  await stage.settings({ maxConcurrentAgents: 30 });
  const terminal = await openReady(stage);
  send(terminal, 'begin');
  await terminal.untilSeen(/agents 40 · 1 asking · 29 running · 10 queued/);
  await terminal.untilSeen(/\? kid-7 /);
  await terminal.untilSeen(/fork ×39 · 29 running · 10 queued/);
  terminal.press('esc');
  await terminal.untilGone('1 once');
  terminal.press('down');
  await terminal.untilSeen(/^›/m);
  terminal.press('down', 'right');
  await terminal.untilSeen(/^ {4}● kid-\d+ PART-\d+\. · waiting for the model/m);
  held.open();
  await terminal.untilSeen(/39 done/);
  await terminal.until('heard of it');
  const told = terminal.lines().filter((line) => /✓ kid-\d+.* done/.test(line));
  expect(told.length).toBeLessThan(15);
  expect(count(terminal.lines(), 'kid-0 done')).toBeLessThan(2);
});

it('TU-8: Space marks, = compares the marked agents', async () => {
  const stage = await setTerminalStage([
    { when: { user: 'task-notification' }, reply: 'heard of it' },
    { when: { said: 'RED-PART' }, reply: 'make it red' },
    { when: { said: 'BLUE-PART' }, reply: 'make it blue' },
    { when: { result: { tool: 'Agent' } }, reply: 'they are at work' },
    { when: { user: 'begin' }, reply: [fork('RED-PART', { name: 'red' }), fork('BLUE-PART', { name: 'blue' })] },
  ]);
  const terminal = await openReady(stage);
  send(terminal, 'begin');
  await terminal.untilSeen('agents 2 · 2 done');
  terminal.press('down');
  await choose(terminal, 'red');
  terminal.press('space');
  await terminal.untilSeen(/^›\* ?✓ red/m);
  await choose(terminal, 'blue');
  terminal.press('space', '=');
  await terminal.untilSeen('make it red');
  await terminal.untilSeen('make it blue');
});
