/** Failures of others, about sessions and agents, that no other story shows. */

import { expect, it } from 'vitest';
import type { AgentEvent } from '../../../src/protocol/events.js';
import { parseBlock } from '../../../src/protocol/frozen-block.js';
import { agentTranscripts } from '../../support/session-files.js';
import { eventsOf, expectAllAccepted, readingTool, readTranscript, setStage } from '../../support/story.js';
import { until } from '../../support/until.js';
import { lastSent } from '../../support/wire-body.js';
import { expectNoneRefused } from './crash-stage.js';

/** Each result follows the reply that asked for it, each record names the one before, and all are of one agent. */
async function expectOrder(path: string): Promise<void> {
  const records = await readTranscript(path);
  const asked = new Set<string>();
  records.forEach(({ parent, event }, index) => {
    expect(parent).toBe(index === 0 ? null : records[index - 1]?.uuid);
    if (event.kind === 'assistant-replied') {
      for (const block of event.blocks.map(parseBlock)) if (block.type === 'tool_use') asked.add(block.id);
    }
    if (event.kind === 'call-finished') expect(asked.has(event.call), path).toBe(true);
  });
}

it('failures 2, 16, 49: a background child stopped after any of its records: each result follows its reply, in its own file', async () => {
  const KINDS: AgentEvent['kind'][] = [
    'agent-spawned',
    'turn-started',
    'epoch-started',
    'assistant-replied',
    'call-started',
    'call-finished',
    'message-joined',
    'result-made',
  ];
  const stage = await setStage([
    {
      when: { user: 'task of the child', not: { result: { tool: 'Look' } } },
      reply: [
        { tool: 'Look', input: { n: 1 } },
        { tool: 'Look', input: { n: 2 } },
      ],
    },
    { when: { said: 'task of the child' }, reply: 'done' },
    { when: { user: '<task-notification>' }, reply: 'heard' },
    { when: { result: { tool: 'Agent' } }, reply: 'it runs' },
    {
      when: { user: 'begin' },
      reply: [{ tool: 'Agent', input: { description: 'c', prompt: 'task of the child', run_in_background: true } }],
    },
    { reply: 'well' },
  ]);
  const look = readingTool('Look', async ({ n }) => `saw ${n}`);
  for (const kind of KINDS) {
    const session = await stage.open({ tools: [look] });
    const stop = session.watch(({ agent, event }) => {
      if (agent === 'main' || event.kind !== kind) return;
      for (const task of session.tasks()) void task.stop('person');
    });
    await session.send('begin');
    await session.settled();
    stop();
    expect((await session.send('and then?')).reason, kind).toBe('completed');
    await session.close();
    for (const path of [session.transcript, ...(await agentTranscripts(session))]) await expectOrder(path);
  }
  expectNoneRefused(stage.sim);
});

it('failures 9: an id used again by the model runs what it asks for, once a time it asks, and never on its own', async () => {
  const ran: number[] = [];
  const stage = await setStage([
    { when: { nth: 1 }, reply: [{ tool: 'Look', id: 'same', input: { n: 1 } }] },
    { when: { nth: 2 }, reply: [{ tool: 'Look', id: 'same', input: { n: 2 } }] },
    { reply: 'done' },
  ]);
  const look = readingTool('Look', async ({ n = 0 }) => {
    ran.push(n);
    return `saw ${n}`;
  });
  const first = await stage.open({ tools: [look] });
  await first.send('go');
  await first.close();
  const again = await stage.open({ tools: [look], resume: first.id });
  await again.send('and?');
  expectAllAccepted(stage.sim);
  expect(ran).toEqual([1, 2]);
});

it('failures 11: the model is switched in mid-session, with two forks streaming at once: every request is one the API takes', async () => {
  const stage = await setStage([
    { when: { user: 'Part' }, reply: [{ thinking: 'mine' }, { tool: 'Look', input: { n: 1 } }], delay: { eventMs: 3 } },
    {
      when: { said: 'Part', result: { tool: 'Look' } },
      reply: [{ thinking: 'more' }, 'part done'],
      delay: { eventMs: 3 },
    },
    { when: { result: { tool: 'Agent' } }, reply: [{ thinking: 'both' }, 'they are done'] },
    {
      when: { user: 'fork' },
      reply: [
        { thinking: 'two' },
        { tool: 'Agent', input: { description: 'a', prompt: 'Part one', fork: true } },
        { tool: 'Agent', input: { description: 'b', prompt: 'Part two', fork: true } },
      ],
    },
    { reply: [{ thinking: 'hm' }, { redacted: 'secret' }, 'hello'] },
  ]);
  const look = readingTool('Look', async ({ n }) => `saw ${n}`);
  const session = await stage.open({ tools: [look], fork: 'on' });
  await session.send('hi');
  await session.send('fork');
  await session.setModel('sonnet');
  await session.send('fork again');
  await session.close();
  const again = await stage.open({ tools: [look], fork: 'on', resume: session.id });
  await again.send('hi');
  expectAllAccepted(stage.sim);
  expect(new Set(stage.sim.requests.map(({ body }) => body.model)).size).toBe(2);
  for (const path of await agentTranscripts(session)) await expectOrder(path);
});

it('failures 45: an agent is found under its id after compaction and after a resume', async () => {
  const stage = await setStage([
    { when: { user: '<compaction>' }, reply: 'SUMMARY' },
    { when: { user: 'go on' }, reply: 'child went on' },
    { when: { user: 'task of the child' }, reply: 'child is done' },
    { when: { user: '<task-notification>' }, reply: 'heard' },
    { when: { result: { tool: 'SendMessage' } }, reply: 'sent' },
    {
      when: { user: { matches: 'write to (?<id>\\w+)' } },
      reply: [{ tool: 'SendMessage', input: { to: '{{id}}', message: 'go on' } }],
    },
    { when: { result: { tool: 'Agent' } }, reply: `long ${'word '.repeat(9_000)}` },
    { when: { user: 'begin' }, reply: [{ tool: 'Agent', input: { description: 'c', prompt: 'task of the child' } }] },
    { reply: 'well' },
  ]);
  await stage.settings({ models: { 'claude-opus-5-5': { context: 14_000, maxOutput: 1_000 } } });
  const first = await stage.open();
  await first.send('begin');
  await first.send('compact now');
  expect(eventsOf(stage, 'history-compacted')).toHaveLength(1);
  const agent = eventsOf(stage, 'agent-spawned')[0]?.agent ?? '';
  await first.send(`write to ${agent}`);
  await first.settled();
  await first.close();
  const again = await stage.open({ resume: first.id });
  await again.send(`write to ${agent}`);
  await again.settled();
  await until(() => lastSent(stage.sim).split('child went on').length >= 3);
  expectAllAccepted(stage.sim);
});
