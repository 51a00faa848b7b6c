/** Messages sent during a turn: rows, delivered once, withdrawn, held (TU-22). */

import { expect, it } from 'vitest';
import { gate } from '../../../support/gate.js';
import { setTerminalStage } from '../terminal-stage.js';
import { openReady, send } from './tree-steps.js';

/** The user's text in the last turn of each request. */
const lastTurns = (stage: { readonly sim: { readonly requests: readonly { readonly body: unknown }[] } }) =>
  stage.sim.requests.map(({ body }) => JSON.stringify((body as { messages: unknown[] }).messages.at(-1)));

it('TU-22: messages sent during a turn are rows; Enter for the next safe point, Tab for after the turn; ↑ takes one back', async () => {
  const first = gate();
  const second = gate();
  const stage = await setTerminalStage([
    { when: { user: 'HELD' }, reply: 'the held one is read' },
    {
      when: { result: { tool: 'Bash' } },
      reply: async () => {
        await second.opened;
        return 'the turn is over';
      },
    },
    {
      when: { user: 'begin' },
      reply: async () => {
        await first.opened;
        return [{ tool: 'Bash', input: { command: 'true' } }];
      },
    },
  ]);
  const terminal = await openReady(stage);
  send(terminal, 'begin');
  await terminal.until(() => stage.sim.requests.length === 1, 'it works');
  send(terminal, 'QUEUED one');
  await terminal.untilSeen('queued: QUEUED one');
  terminal.type('HELD words');
  await terminal.untilSeen('> HELD words');
  terminal.press('tab');
  await terminal.untilSeen('after this turn: HELD words');
  // The last one first.
  terminal.press('up');
  await terminal.untilSeen('> HELD words');
  terminal.press('tab');
  await terminal.untilSeen('after this turn: HELD words');
  first.open();
  await terminal.until(() => stage.sim.requests.length === 2, 'the next request');
  await terminal.untilGone('queued: QUEUED one');
  expect(lastTurns(stage)[1]).toContain('QUEUED one');
  expect(lastTurns(stage)[1]).not.toContain('HELD');
  second.open();
  await terminal.until('the held one is read');
  expect(lastTurns(stage)[2]).toContain('HELD words');
  expect(JSON.stringify(stage.sim.requests.at(-1)?.body).split('QUEUED one').length - 1).toBe(1);
});

it('TU-22: a withdrawn message is not delivered; it can be changed and sent again', async () => {
  const held = gate();
  const stage = await setTerminalStage([
    { when: { user: 'CHANGED' }, reply: 'the changed one is read' },
    {
      when: { user: 'begin' },
      reply: async () => {
        await held.opened;
        return 'done';
      },
    },
  ]);
  const terminal = await openReady(stage);
  send(terminal, 'begin');
  await terminal.until(() => stage.sim.requests.length === 1, 'it works');
  send(terminal, 'then this');
  await terminal.untilSeen('queued: then this');
  terminal.press('up');
  await terminal.untilSeen('> then this');
  await terminal.untilGone('queued: then this');
  terminal.type(' CHANGED');
  await terminal.untilSeen('> then this CHANGED');
  terminal.press('enter');
  await terminal.untilSeen('queued: then this CHANGED');
  held.open();
  await terminal.until('the changed one is read');
  const last = JSON.stringify(stage.sim.requests.at(-1)?.body);
  expect(last.split('then this').length - 1).toBe(1);
});

it('TU-22: an interrupt delivers messages of Enter together; those of Tab wait for Enter', async () => {
  const stage = await setTerminalStage([
    { when: { user: 'LATER' }, reply: 'the later one is read' },
    { when: { user: 'SECOND' }, reply: 'both are read' },
    { when: { user: 'begin' }, reply: () => new Promise(() => {}) },
  ]);
  const terminal = await openReady(stage);
  send(terminal, 'begin');
  await terminal.until(() => stage.sim.requests.length === 1, 'it works');
  send(terminal, 'FIRST');
  await terminal.untilSeen('queued: FIRST');
  send(terminal, 'SECOND');
  await terminal.untilSeen('queued: SECOND');
  terminal.type('LATER');
  await terminal.untilSeen('> LATER');
  terminal.press('tab');
  await terminal.untilSeen('after this turn: LATER');
  terminal.press('esc');
  await terminal.until('both are read');
  expect(lastTurns(stage)[1]).toMatch(/FIRST.*SECOND/);
  expect(lastTurns(stage)[1]).not.toContain('LATER');
  await terminal.untilSeen('after this turn: LATER');
  await terminal.untilSeen('enter sends the queued messages');
  terminal.press('enter');
  await terminal.until('the later one is read');
  expect(stage.sim.requests.length).toBe(3);
});
