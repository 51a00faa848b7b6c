/** Esc at each stage of a turn (TU-23), and the display of retries (TU-27). */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { choose, fork, openReady, screen, send } from '../../../program/tui/agents/tree-steps.js';
import { setTerminalStage } from '../../../program/tui/terminal-stage.js';
import { edited } from '../../../program/tui/until-open.js';
import { agentCall } from '../../../support/agent-call.js';
import { gate } from '../../../support/gate.js';

/** As sent by a terminal that distinguishes Esc and Alt: the next byte is a key of its own. */
const ESC = '\u001b[27u';
const never = () => new Promise<string>(() => {});

it('TU-23: Esc before the first token returns the message to the editor, and a second Esc does not rewind', async () => {
  const stage = await setTerminalStage([
    { when: { user: 'again' }, reply: 'now it is answered' },
    { when: { user: 'begin' }, reply: never },
  ]);
  const terminal = await openReady(stage);
  send(terminal, 'begin with this');
  await terminal.until(() => stage.sim.requests.length === 1, 'it works');
  terminal.press('esc');
  await terminal.until('! interrupted');
  await terminal.untilSeen(/> begin with this\n.*\? keys/);
  terminal.type(ESC);
  terminal.type(' again');
  await terminal.untilSeen('> begin with this again');
  terminal.press('enter');
  await terminal.until('now it is answered');
  expect(JSON.stringify(stage.sim.requests[1]?.body).split('begin with this').length - 1).toBe(1);
});

it('TU-23: Esc while it streams keeps the text so far; the second Esc does not rewind', async () => {
  const stage = await setTerminalStage([
    { when: { user: 'begin' }, reply: 'word '.repeat(400), delay: { eventMs: 40 } },
    { reply: 'next' },
  ]);
  const terminal = await openReady(stage);
  send(terminal, 'begin');
  await terminal.until('word word word');
  terminal.press('esc');
  await terminal.until('! interrupted');
  await terminal.untilGone('esc interrupts');
  terminal.type(ESC);
  send(terminal, 'and then');
  await terminal.until('next');
  expect(JSON.stringify(stage.sim.requests[1]?.body)).toContain('word word');
  expect(screen(terminal)).not.toMatch(/rewind/i);
});

it('TU-23: Esc during a command stops it and the turn', async () => {
  const stage = await setTerminalStage([
    { when: { user: 'begin' }, reply: [{ tool: 'Bash', input: { command: 'touch begun; sleep 60; touch ended' } }] },
    { reply: 'next' },
  ]);
  const terminal = await openReady(stage, '--permission-mode', 'bypassPermissions');
  send(terminal, 'begin');
  await terminal.until(() => existsSync(join(stage.folder, 'begun')), 'the command runs');
  await terminal.untilSeen(/Bash touch begun.* · \d:\d\d · esc interrupts/);
  terminal.press('esc');
  await terminal.until('interrupted');
  await terminal.untilGone('esc interrupts');
  send(terminal, 'and then');
  await terminal.until('next');
  expect(existsSync(join(stage.folder, 'ended'))).toBe(false);
});

it('TU-23, LC-14: with awaited children, the first Esc warns and the second interrupts them: resumable; background agents continue', async () => {
  const held = gate();
  let asked = 0;
  const stage = await setTerminalStage([
    {
      when: { said: 'BACK-PART' },
      reply: async () => {
        await held.opened;
        return 'the back is done';
      },
    },
    {
      when: { said: 'FRONT-PART' },
      reply: () => {
        asked += 1;
        return asked <= 2 ? never() : 'the front is done';
      },
    },
    { when: { user: 'task-notification' }, reply: 'heard of it' },
    {
      when: { user: 'begin' },
      reply: [
        fork('BACK-PART', { name: 'back' }),
        agentCall('FRONT-PART', { name: 'front-1', subagent_type: 'fork' }),
        agentCall('FRONT-PART', { name: 'front-2', subagent_type: 'fork' }),
      ],
    },
    { reply: 'on we go' },
  ]);
  const terminal = await openReady(stage);
  send(terminal, 'begin');
  await terminal.until(() => asked === 2, 'both are at work');
  await terminal.untilSeen('agents 3 · 3 running');
  terminal.press('esc');
  await terminal.untilSeen('esc again to interrupt 2 agents');
  await terminal.untilSeen('esc again to interrupt 2 agents · ctrl+b background');
  await terminal.untilSeen('agents 3 · 3 running');
  terminal.press('esc');
  await terminal.untilSeen('2 interrupted');
  await terminal.untilSeen(/● back/);
  expect(screen(terminal)).not.toContain('stopped');
  terminal.type(ESC);
  expect(screen(terminal)).not.toMatch(/earlier prompt/);
  // `r` in the tree resumes one of them.
  terminal.press('ctrl+t');
  await choose(terminal, 'front-1');
  terminal.press('r');
  await terminal.untilSeen(/✓ front-1/);
  held.open();
  await terminal.untilSeen(/✓ back/);
  terminal.press('esc');
});

it('TU-27: a retry shows its cause, the attempt and the seconds left; after Esc the last error stays', async () => {
  const stage = await setTerminalStage([{ when: { user: 'begin' }, fault: { kind: 'overloaded', retryAfter: 30 } }]);
  const terminal = await openReady(stage);
  send(terminal, 'begin');
  await terminal.untilSeen(/↻ Overloaded · attempt \d+ of \d+ · retrying in \d+s · esc interrupts/);
  terminal.press('esc');
  await terminal.untilGone('esc interrupts');
  await terminal.untilSeen(/verloaded/);
});

it('TU-27: many agents that wait for the model share one line', async () => {
  const all = gate();
  let asked = 0;
  const stage = await setTerminalStage([
    {
      // All have sent a request before one of them is told to wait: afterwards the others would not send.
      when: { said: 'KID-PART' },
      reply: async () => {
        asked += 1;
        if (asked === 3) all.open();
        await all.opened;
        return 'never said';
      },
      fault: { kind: 'error_event', at: 1, type: 'overloaded_error', message: 'Overloaded' },
    },
    { when: { result: { tool: 'Agent' } }, reply: 'they are at work' },
    { when: { user: 'begin' }, reply: [1, 2, 3].map((at) => fork('KID-PART', { name: `kid-${at}` })) },
  ]);
  const terminal = await openReady(stage);
  send(terminal, 'begin');
  await terminal.untilSeen(
    /↻ [23] agents wait for the model · Overloaded · attempt \d+ of \d+ · retrying (?:in \d+ s|now)/,
  );
  await terminal.untilSeen(/kid-\d .*· retrying/);
});

it('TU-23: with a background child, Esc before the first token returns the message and leaves the child alone', async () => {
  const stage = await setTerminalStage([
    { when: { said: 'KID-PART' }, reply: never },
    { when: { result: { tool: 'Agent' } }, reply: 'it is at work' },
    { when: { user: 'begin' }, reply: [fork('KID-PART', { name: 'kid' })] },
    { when: { user: 'and this' }, reply: never },
  ]);
  const terminal = await openReady(stage);
  send(terminal, 'begin');
  await terminal.until('it is at work');
  await terminal.untilSeen(/● kid/);
  send(terminal, 'and this');
  await terminal.until(() => stage.sim.requests.length === 4, 'it works');
  terminal.press('esc');
  await terminal.until('! interrupted');
  await terminal.until(() => edited(terminal) === 'and this', 'the message is in the editor');
  await terminal.untilSeen(/● kid/);
});
