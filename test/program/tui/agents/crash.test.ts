/** The program is killed during its work: everything said, sent and typed is there when the session resumes. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { gate } from '../../../support/gate.js';
import { count, setTerminalStage, type TerminalStage, type TestTerminal } from '../terminal-stage.js';
import { choose, fork, openReady, pressChoice, send } from './tree-steps.js';

async function kill(terminal: TestTerminal): Promise<void> {
  terminal.process.kill('SIGKILL');
  await terminal.ended;
}

/** The draft, as it is on disk. */
function savedDrafts({ home }: TerminalStage): string {
  const projects = join(home, '.coppice', 'projects');
  const files = readdirSync(projects, { recursive: true }).map(String);
  const drafts = files.filter((name) => /\.drafts\/[0-9a-f-]{36}$/.test(name));
  return drafts.map((name) => readFileSync(join(projects, name), 'utf8')).join('\n');
}

it('TU-25, TU-18: killed while agents ask and work: they are interrupted, `r` resumes them, and the question is asked again', async () => {
  let asked = 0;
  const held = gate();
  const stage = await setTerminalStage([
    { when: { user: 'task-notification' }, reply: 'heard of it' },
    { when: { said: 'ASK-PART', result: { tool: 'Bash', error: false } }, reply: 'it is made' },
    { when: { said: 'ASK-PART' }, reply: [{ tool: 'Bash', input: { command: 'touch made' } }] },
    {
      when: { said: 'WORK-PART' },
      reply: async () => {
        asked += 1;
        if (asked === 1) await held.opened;
        return 'the work is done';
      },
    },
    { when: { result: { tool: 'Agent' } }, reply: 'they are at work' },
    {
      when: { user: 'begin' },
      reply: [fork('ASK-PART', { name: 'requester' }), fork('WORK-PART', { name: 'worker' })],
    },
    { reply: 'on we go' },
  ]);
  const first = await openReady(stage);
  send(first, 'begin');
  await first.untilSeen('1 once');
  await first.untilSeen(/● worker/);
  await first.until('they are at work');
  first.type('half a sentence');
  await first.untilSeen('> half a sentence');
  await first.until(() => savedDrafts(stage).includes('half a sentence'), 'the draft is saved');
  await kill(first);

  const second = await openReady(stage, '--continue');
  await second.until('they are at work');
  await second.untilSeen('agents 2 · 2 interrupted');
  await second.untilSeen('> half a sentence');
  second.press('ctrl+c');
  await second.untilGone('half a sentence');
  second.press('down');
  await choose(second, 'worker');
  second.press('r');
  await second.untilSeen(/✓ worker/);
  await choose(second, 'requester');
  second.press('r');
  await second.untilSeen('1 once');
  expect(existsSync(join(stage.folder, 'made'))).toBe(false);
  await second.untilSeen('tab focus');
  second.press('tab');
  await second.untilGone('tab focus');
  await pressChoice(second, '1');
  await second.untilSeen(/✓ requester/);
  expect(existsSync(join(stage.folder, 'made'))).toBe(true);
});

it('TU-22, TU-25: killed while a reply streams: the prompt and a queued message are there, and Enter continues', async () => {
  let asked = 0;
  const stage = await setTerminalStage([
    {
      when: { user: 'begin' },
      reply: () => {
        asked += 1;
        return asked === 1 ? 'word '.repeat(2_000) : 'the answer';
      },
      delay: { eventMs: 30 },
    },
    { reply: 'the answer' },
  ]);
  const first = await openReady(stage);
  send(first, 'begin');
  await first.until('word word word');
  send(first, 'QUEUED words');
  await first.untilSeen('queued: QUEUED words');
  await kill(first);

  const second = await openReady(stage, '--continue');
  await second.until('> begin');
  await second.until(/Resumed session/);
  second.press('enter');
  await second.until('the answer');
  const last = JSON.stringify(stage.sim.requests.at(-1)?.body);
  expect(last.split('QUEUED words').length - 1).toBe(1);
  expect(count(second.lines(), '> begin')).toBe(1);
});
